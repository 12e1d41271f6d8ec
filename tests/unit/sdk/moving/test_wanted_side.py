"""When a wanted side is obeyed."""

from contextlib import suppress
from unittest.mock import Mock

import pytest
from confluent_kafka import KafkaException, TopicPartition

from trimtab.moving import wanted_side
from trimtab.moving.sides import SIDES, Side
from trimtab.moving.wanted_side import Heard, WantedSide


class _Kafka:
    """A client of a Kafka that keeps one offset, and takes commits or refuses them."""

    def __init__(self, *_: object) -> None:
        self.offset = -1001  # as librdkafka has it: none is committed
        self.commits = list[int]()
        self.refuses = False

    def committed(self, places: list[TopicPartition], _: float) -> list[TopicPartition]:
        return [TopicPartition(it.topic, it.partition, self.offset) for it in places]

    def commit(self, offsets: list[TopicPartition], **_: object) -> list[TopicPartition]:
        if self.refuses:
            raise KafkaException("no right")
        self.offset = offsets[0].offset
        self.commits.append(self.offset)
        return offsets


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> _Kafka:
    """The Kafka of every client that is made."""
    made = _Kafka()
    monkeypatch.setattr(wanted_side, "Consumer", lambda _: made)
    return made


def test_what_kafka_has_forgotten_is_written_again(kafka: _Kafka) -> None:
    """A choice lives as long as somebody works who has read it, and so longer than Kafka keeps it.

    Who starts when it is forgotten reads it again, so partitions that come later move as well.
    """
    wanted = WantedSide({}, "billing", "t.")
    assert wanted.read() is None
    kafka.offset = SIDES.index("trimtab")
    assert "trimtab" == wanted.read()
    kafka.offset = -1001

    newcomer = [WantedSide({}, "billing", "t.").read()]
    newcomer += [it.read() for it in (wanted, WantedSide({}, "billing", "t."))]
    assert [None, "trimtab", "trimtab"] == newcomer
    assert [1] == kafka.commits


def test_kafkas_side_is_not_written_again(kafka: _Kafka) -> None:
    """Without a choice it is the same, and who is done with trimtab may delete the group."""
    wanted = WantedSide({}, "billing", "t.")
    for side in ("trimtab", "kafka"):
        kafka.offset = SIDES.index(side)
        wanted.read()
    kafka.offset = -1001

    assert ("kafka", None) == (wanted.read(), WantedSide({}, "billing", "t.").read())
    assert [] == kafka.commits


@pytest.mark.parametrize(("away_s", "then"), [(0.5, "trimtab"), (60.0, None)])
def test_who_was_away_does_not_write_again_what_it_had_read(
    kafka: _Kafka, monkeypatch: pytest.MonkeyPatch, away_s: float, then: Side | None
) -> None:
    """Meanwhile the group may have moved back, and the choice may have been deleted since."""
    monkeypatch.setattr(wanted_side, "now_s", iter((100.0, 100.0 + away_s)).__next__)
    frozen = WantedSide({}, "billing", "t.")
    kafka.offset = SIDES.index("trimtab")
    frozen.read()
    kafka.offset = -1001

    assert then == frozen.read()
    assert [1] * (then is not None) == kafka.commits


@pytest.mark.parametrize("side", ["kafka", "trimtab"])
def test_who_looks_all_the_time_keeps_what_it_had_read(
    kafka: _Kafka, monkeypatch: pytest.MonkeyPatch, side: Side
) -> None:
    """However long ago that was: a move back ends though its choice was deleted meanwhile.

    Trimtab's is written again as soon as Kafka takes it.
    """
    times = range(100, 200, 8)
    monkeypatch.setattr(wanted_side, "now_s", iter(map(float, times)).__next__)
    wanted = WantedSide({}, "billing", "t.")
    kafka.offset = SIDES.index(side)
    wanted.read()
    kafka.offset, kafka.refuses = -1001, side == "trimtab"
    for _ in times[2:]:
        with suppress(KafkaException):
            wanted.read()
    kafka.refuses = False

    assert side == wanted.read()
    assert [SIDES.index(side)] * (side == "trimtab") == kafka.commits


def test_a_choice_that_is_there_is_not_written_over(kafka: _Kafka) -> None:
    """Whatever was read before."""
    wanted = WantedSide({}, "billing", "t.")
    for side in ("trimtab", "kafka", "trimtab"):
        kafka.offset = SIDES.index(side)
        assert side == wanted.read()

    assert [] == kafka.commits


def test_what_cannot_be_written_again_is_said(kafka: _Kafka) -> None:
    """And everything stays where it is, as long as it is so."""
    troubles: list[Exception] = []
    heard = Heard(WantedSide({}, "billing", "t.").read, troubles.append)
    kafka.offset = SIDES.index("trimtab")
    assert "trimtab" == heard.by(100.0)
    kafka.offset, kafka.refuses = -1001, True

    assert heard.by(101.0) is None
    assert len(troubles) == 1


def test_who_could_not_write_it_again_asks_by_a_new_client(
    kafka: _Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may never find again a broker that was away."""
    make = Mock(return_value=kafka)
    monkeypatch.setattr("trimtab.moving.wanted_side.Consumer", make)
    wanted = WantedSide({}, "billing", "t.")
    kafka.offset = SIDES.index("trimtab")
    wanted.read()
    kafka.offset, kafka.refuses = -1001, True
    with pytest.raises(KafkaException):
        wanted.read()

    assert 2 == make.call_count


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
