"""Whoever follows other controllers hears them in every partition, and believes no silence else.

That Kafka is away is said once.
"""

from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition
from structlog.testing import capture_logs

from console.settings import load
from console.wiring import options
from streaming.startup import activity
from streaming.startup.activity import Activity, NotTold
from tests.builders.half_written import HalfWritten
from tests.builders.played_time import PlayedTime
from tests.unit.streaming.startup.spoken import word
from trimtab.protocol import (
    CONTROLLERS,
    DEFAULT_PREFIX,
    HEARTBEATS,
    TICK_KEY,
    Controller,
    Tick,
    encode,
)

TIMED_OUT = KafkaError._TIMED_OUT  # noqa: SLF001 - librdkafka's own name
AWAY = KafkaError._ALL_BROKERS_DOWN  # noqa: SLF001 - the same
LEADERLESS = KafkaError.LEADER_NOT_AVAILABLE
TICK_MS = 10
TICK = Tick(controller="a", number=7)


class Message(NamedTuple):
    """What another controller says, as librdkafka brings it."""

    said: Tick | Controller

    def error(self) -> None:
        """It is well."""

    def timestamp(self) -> tuple[int, int]:
        """The broker's."""
        return 2, 0

    def topic(self) -> str:
        """Where it is."""
        topic = HEARTBEATS if isinstance(self.said, Tick) else CONTROLLERS
        return f"{DEFAULT_PREFIX}{topic.name}"

    def key(self) -> bytes:
        """No member's."""
        return TICK_KEY

    def value(self) -> bytes:
        """Who ticks."""
        return encode(self.said)


CLOCK = PlayedTime()


class Found(NamedTuple):
    """What Kafka answers of a partition."""

    offset: int
    error: KafkaError | None


class Kafka:
    """One that answers, or not, and of all partitions, or not; each client of it that was made."""

    def __init__(self, ticks_in: int | None = None, leaderless: int | None = None) -> None:
        """Be there."""
        self.is_there, self.ticks_in, self.leaderless = True, ticks_in, leaderless
        self.said: list[Tick | Controller] = []
        self.clients: list[Client] = []

    def client(self, config: dict[str, Any]) -> "Client":
        """Connect."""
        self.clients.append(Client(self, config))
        return self.clients[-1]


class Client:
    """A client that has read everything, and finds no broker while there is none."""

    def __init__(self, kafka: Kafka, config: dict[str, Any]) -> None:
        """Be told who hears of errors."""
        self.kafka, self.tell = kafka, config["error_cb"]
        self.assigned: list[int] = []
        self.partitions: set[int] = set()

    def offsets_for_times(self, places: list[TopicPartition], _: float) -> list[Found]:
        """Five were written in each; all were led when it began to follow."""
        if not self.kafka.is_there:
            raise KafkaException(KafkaError(TIMED_OUT))
        away = self.kafka.leaderless if self.assigned else None
        return [Found(5, KafkaError(LEADERLESS) if it.partition == away else None) for it in places]

    def position(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """All was read."""
        return [TopicPartition(it.topic, it.partition, 5) for it in places]

    def assign(self, places: list[TopicPartition]) -> None:
        """Note from where it is to read."""
        self.assigned = [it.offset for it in places]
        self.partitions = {it.partition for it in places if str(it.topic).endswith(HEARTBEATS.name)}

    def poll(self, _patience_s: float) -> Message | None:
        """Serve callbacks, as librdkafka does, and bring what is read."""
        if not self.kafka.is_there:
            self.tell(KafkaError(AWAY))
        if self.kafka.said:
            return Message(self.kafka.said.pop(0))
        return Message(TICK) if self.kafka.ticks_in in self.partitions else None

    def consume(self, *_: object) -> list[Message]:
        """Nothing more has come."""
        return []

    def close(self) -> None:
        """End."""


def follower(
    monkeypatch: pytest.MonkeyPatch, place: Path, kafka: Kafka, stop: Event | None = None
) -> Activity:
    """One that has begun to follow."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(activity, "Consumer", kafka.client)
    monkeypatch.setattr(activity, "time", CLOCK)
    monkeypatch.setattr(activity, "_ASK_S", 0.0)
    monkeypatch.setattr(activity, "grace_of", lambda _: 2 * TICK_MS)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=place)
    return Activity(chosen, "standby", stop or Event())


def cause_after(following: Activity, intervals: int) -> str | None:
    """What it finds after so many."""
    until = CLOCK.now + intervals * TICK_MS / 1000
    while CLOCK.now < until:
        following.listen()
        CLOCK.sleep(0.001)
    return following.over()


def test_who_ticks_in_any_partition_is_at_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The first one takes no records: its controller goes on for the groups of all others."""
    kafka = Kafka(ticks_in=1)
    following = follower(monkeypatch, tmp_path, kafka)
    assert (None, "a") == (cause_after(following, 10), following.last)
    kafka.ticks_in = None
    assert "no controller has ticked" in (cause_after(following, 10) or "")


def test_who_is_told_to_stop_asks_no_more_where_ticks_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A supervisor kills a start that goes on for half a minute; else it waits as long."""
    kafka, stop, asked = Kafka(), Event(), list[float]()
    kafka.is_there = False

    def ask(_client: Client, _places: list[TopicPartition], patience_s: float) -> list[Found]:
        asked.append(patience_s)
        CLOCK.sleep(patience_s)
        if len(asked) == 2:
            stop.set()
        raise KafkaException(KafkaError(TIMED_OUT))

    monkeypatch.setattr(Client, "offsets_for_times", ask)
    with pytest.raises(NotTold):
        follower(monkeypatch, tmp_path, kafka, stop)
    assert (2, True) == (len(asked), sum(asked) <= 10)

    with pytest.raises(NotTold):
        follower(monkeypatch, tmp_path, kafka)
    assert sum(asked[2:]) >= activity.PATIENCE_S


def test_without_an_answer_of_each_partition_there_is_no_silence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nobody could start: the first tick must arrive in each."""
    kafka = Kafka(leaderless=3)
    following = follower(monkeypatch, tmp_path, kafka)
    assert cause_after(following, 10) is None
    kafka.leaderless = None
    assert cause_after(following, 10) is not None


def test_while_kafka_is_away_it_says_so_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each reason once, that it is over once; and nothing is taken for read meanwhile."""
    kafka = Kafka()
    following = follower(monkeypatch, tmp_path, kafka)
    following.listen()
    assert following.is_read
    with capture_logs() as lines:
        kafka.is_there = False
        for _ in range(20):
            following.listen()
            assert not following.is_read
        kafka.is_there = True
        for _ in range(3):
            following.listen()

    assert ["warning", "warning", "info"] == [it["log_level"] for it in lines]
    assert following.is_read


def test_a_client_that_finds_no_broker_for_long_is_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It may never find any again (H15); the new one reads on where the old one was."""
    kafka = Kafka()
    following = follower(monkeypatch, tmp_path, kafka)
    following.listen()
    monkeypatch.setattr(activity, "WORN_S", 0.0)
    CLOCK.sleep(0.001)
    kafka.is_there = False
    following.listen()

    old, new = kafka.clients
    assert {5} == {*new.assigned}
    assert len(old.assigned) == len(new.assigned)


def test_a_client_that_cannot_be_replaced_is_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Somebody is just replacing the files of its certificate."""
    kafka = Kafka()
    following = follower(monkeypatch, tmp_path, kafka)
    made = HalfWritten(kafka.client)
    made({"error_cb": bool})  # stands for the one that it has
    monkeypatch.setattr(activity, "Consumer", made)
    monkeypatch.setattr(activity, "WORN_S", 0.0)
    kafka.is_there = False
    for _ in range(2):
        CLOCK.sleep(0.001)
        following.listen()

    assert 3 == made.asked
    assert len(kafka.clients[0].assigned) == len(kafka.clients[-1].assigned)


@pytest.mark.parametrize(
    ("first", "then", "fails"),
    [
        pytest.param([word("a", 3)], [], True, id="it fails for long"),
        pytest.param([], [word("a", 3)], False, id="it has just begun to"),
        pytest.param([word("a", 2)], [], False, id="it has tried twice"),
        pytest.param([word("a", 3)], [word("a", None)], False, id="it works again"),
        pytest.param([word("a", None)], [], False, id="it is slow"),
        pytest.param([word("a", 3)], [Tick(controller="b", number=1)], False, id="another is well"),
        pytest.param([Tick(controller="b", number=1), word("a", 3)], [], True, id="b was killed"),
    ],
)
def test_who_fails_says_so_for_long(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    first: list[Tick | Controller],
    then: list[Tick | Controller],
    fails: bool,  # noqa: FBT001 - a column
) -> None:
    """By its own word alone, and of each that ticks: who is slow, or has just met it, may mend."""
    monkeypatch.setattr(activity, "_FAILING_S", 5 * TICK_MS / 1000)
    kafka = Kafka(ticks_in=0)
    following = follower(monkeypatch, tmp_path, kafka)
    kafka.said += first
    cause_after(following, 10)
    kafka.said += then
    for _ in range(5):
        following.listen()

    assert fails == (following.failing() is not None)


def test_a_time_without_a_word_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Kafka was away, and its next try may work."""
    monkeypatch.setattr(activity, "_FAILING_S", 5 * TICK_MS / 1000)
    monkeypatch.setattr(activity, "_HEARD_S", 5 * TICK_MS / 1000)
    kafka = Kafka(ticks_in=0)
    following = follower(monkeypatch, tmp_path, kafka)
    for _ in range(2):
        kafka.said.append(word("a", 3))
        cause_after(following, 10)
        kafka.said.append(word("a", 3))
        following.listen()
        assert following.failing() is None
