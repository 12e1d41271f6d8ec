"""When a wanted side is obeyed."""

import pytest
from confluent_kafka import KafkaException

from trimtab.moving.sides import Side
from trimtab.moving.wanted_side import Heard


def test_what_is_there_at_first_is_obeyed_at_once() -> None:
    """It is old: all others have heard it."""
    assert "trimtab" == Heard(lambda: "trimtab", print).by(100.0)
    assert Heard(lambda: None, print).by(100.0) is None


@pytest.mark.parametrize("first", ["kafka", None])
def test_a_change_is_obeyed_when_all_have_heard_it(first: Side | None) -> None:
    """They look twice a second; a second after one has, all have."""
    choices = [first]
    heard = Heard(lambda: choices[-1], print)
    assert first == heard.by(100.0)
    choices.append("trimtab")

    assert [first, first, first, "trimtab"] == [heard.by(100.5 + it) for it in (0, 0.5, 0.9, 1)]


def test_a_change_that_is_taken_back_in_time_is_none() -> None:
    """And Kafka is asked no more often than it needs to be."""
    choices: list[Side | None] = ["kafka"]
    asked: list[int] = []

    def read() -> Side | None:
        asked.append(1)
        return choices[-1]

    heard = Heard(read, print)
    heard.by(100.0)
    choices.append("trimtab")
    heard.by(100.6)
    choices.append("kafka")

    assert {"kafka"} == {heard.by(101.2 + it / 100) for it in range(300)}
    assert len(asked) < 10


def test_while_it_cannot_be_read_everything_stays() -> None:
    """Another broker may keep it: what is known of queues is done, and it is asked seldom."""
    answers: list[Side | KafkaException] = ["kafka"]
    troubles: list[Exception] = []
    asked: list[int] = []

    def read() -> Side:
        asked.append(1)
        if isinstance(answer := answers[-1], KafkaException):
            raise answer
        return answer

    heard = Heard(read, troubles.append)
    assert "kafka" == heard.by(100.0)
    answers.append(KafkaException("away"))
    assert {None} == {heard.by(101.0 + it / 10) for it in range(70)}
    answers.append("trimtab")

    assert (["kafka", "trimtab"], 3) == ([heard.by(110.0), heard.by(111.0)], len(asked) - 1)
    assert len(troubles) == 1
