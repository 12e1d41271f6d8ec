"""When a wanted side is obeyed."""

import pytest

from trimtab.moving.sides import Side
from trimtab.moving.wanted_side import Heard


def test_what_is_there_at_first_is_obeyed_at_once() -> None:
    """It is old: all others have heard it."""
    assert "trimtab" == Heard(lambda: "trimtab").by(100.0)
    assert Heard(lambda: None).by(100.0) is None


@pytest.mark.parametrize("first", ["kafka", None])
def test_a_change_is_obeyed_when_all_have_heard_it(first: Side | None) -> None:
    """They look twice a second; a second after one has, all have."""
    choices = [first]
    heard = Heard(lambda: choices[-1])
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

    heard = Heard(read)
    heard.by(100.0)
    choices.append("trimtab")
    heard.by(100.6)
    choices.append("kafka")

    assert {"kafka"} == {heard.by(101.2 + it / 100) for it in range(300)}
    assert len(asked) < 10
