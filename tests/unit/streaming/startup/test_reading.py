"""Reading what is published: what Kafka says of itself is not what it says of groups.

And a standby, which reads for days, does so by a client that is made anew now and then.
"""

import time
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from threading import Event

import pytest
from confluent_kafka import OFFSET_INVALID, KafkaError, Message, TopicPartition

from console.settings import load
from console.wiring import options
from streaming.startup import reading
from streaming.startup.reading import Following, NotReminded
from streaming.startup.reminder import locate
from tests.builders.half_written import HalfWritten
from tests.builders.sessions import assignment
from trimtab.protocol import encode, member_key

PATIENCE_S = 0.2
ENOUGH_S = 10.0
"""So long errors go on: who still listens then would listen for ever."""


class Complaining:
    """A consumer that is told of errors, and of nothing else."""

    def __init__(self, *_: object) -> None:
        self._until = time.monotonic() + ENOUGH_S

    def assign(self, *_: object) -> None:
        """Take partitions."""

    def close(self) -> None:
        """End."""

    def poll(self, *_: object) -> Message:
        """Complain."""
        assert time.monotonic() < self._until, "errors were taken for news"
        time.sleep(0.01)
        return Message(error=KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED))

    def consume(self, *_: object) -> list[Message]:
        """Nothing more."""
        return []


class Resting:
    """A consumer that is told nothing; the first of them has read a little of one partition."""

    made: "list[Resting]"

    def __init__(self, *_: object) -> None:
        self.made.append(self)
        self.begins: list[int] = []

    def assign(self, places: list[TopicPartition]) -> None:
        """Take partitions."""
        self.begins = [it.offset for it in places]

    def position(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """Say where it is; librdkafka says nothing where it has read nothing."""
        has_read = [self is self.made[0] and it is places[0] for it in places]
        return [
            TopicPartition(it.topic, it.partition, 5 if read else OFFSET_INVALID)
            for it, read in zip(places, has_read, strict=True)
        ]

    def poll(self, *_: object) -> None:
        """Nothing."""


def test_a_standby_reads_on_with_a_new_client(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The old one may never find a broker again (H15); each begins where those before it were."""
    monkeypatch.setattr(Resting, "made", [], raising=False)
    monkeypatch.setattr(reading, "Consumer", Resting)
    settings = load(environment={}).settings
    following = Following(options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path))
    following.go_on()
    assert 1 == len(Resting.made)
    monkeypatch.setattr(reading, "RENEWED_S", 0.0)

    following.go_on()
    following.go_on()

    first, *others = Resting.made
    assert {0} == {*first.begins}
    assert [[5, *first.begins[1:]]] * 2 == [it.begins for it in others]


def test_a_standby_reads_on_with_the_old_client_if_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Somebody is just replacing the files of its certificate."""
    made = HalfWritten(Resting)
    monkeypatch.setattr(Resting, "made", [], raising=False)
    monkeypatch.setattr(reading, "Consumer", made)
    monkeypatch.setattr(reading, "RENEWED_S", -1.0)
    settings = load(environment={}).settings
    following = Following(options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path))
    for _ in range(2):
        following.go_on()

    old, new = Resting.made
    assert (3, old.begins) == (made.asked, new.begins)
    assert 5 == old.begins[0], "it was told where it is itself"


class Told(Resting):
    """Another one, which is told what is said to whoever reads."""

    said: "list[Message]"

    def poll(self, *_: object) -> Message | None:  # type: ignore[override]  # the other has none
        """Take what comes first."""
        return self.said.pop(0) if self.said else None

    def consume(self, *_: object) -> list[Message]:
        """Take the rest."""
        taken, self.said[:] = self.said[:], []
        return taken


def message(topic: str, partition: int, key: bytes | None, said: bytes | KafkaError) -> Message:
    """What comes of a partition."""
    value = said if isinstance(said, bytes) else None
    error = said if isinstance(said, KafkaError) else None
    return Message(f"trimtab.{topic}", partition, 4, key, value, error=error)


END = KafkaError(KafkaError._PARTITION_EOF)  # noqa: SLF001 - its documented name


@pytest.mark.parametrize(
    ("hours", "hears_of_ends", "goes_on"),
    [
        pytest.param(range(0, 48, 6), True, True, id="it follows"),
        pytest.param(range(0, 48, 6), False, False, id="it is cut off"),
        pytest.param((0, 30), True, False, id="its machine slept"),
    ],
)
def test_a_standby_that_was_cut_off_for_long_begins_anew(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    hours: Iterable[int],
    hears_of_ends: bool,
    goes_on: bool,
) -> None:
    """Meanwhile Kafka may have removed the tombstone of a member that it takes for present."""
    now, key = [0.0], member_key("billing", "worker-2")
    said = [message("assignments", 0, key, encode(assignment(4, member="worker-2")))]
    monkeypatch.setattr(Told, "made", [], raising=False)
    monkeypatch.setattr(Told, "said", said, raising=False)
    monkeypatch.setattr(reading, "Consumer", Told)
    monkeypatch.setattr(reading, "now_s", lambda: now[0])
    monkeypatch.setattr(reading, "RENEWED_S", 0.0)
    settings = load(environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    following = Following(chosen)
    following.board.start = "1767312000000-0b5e55ed"
    for hour in hours:
        now[0] = 3_600.0 * hour
        if hears_of_ends:
            ends = product(("assignments", "groups"), range(chosen.topics.partitions))
            said += [message(*place, None, END) for place in ends]
        following.go_on()

    assert goes_on == bool([*following.board.found()])
    assert [5 if goes_on else 0] == [it.begins[0] for it in Told.made[-1:]]


def test_errors_are_no_news(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A Kafka that says only what is wrong has not said what is published."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reading, "Consumer", Complaining)
    monkeypatch.setattr(reading, "_PATIENCE_S", PATIENCE_S)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)

    with pytest.raises(NotReminded, match="did not say what is published"):
        locate(chosen, Event())
