"""Effects of messages that come again, after sends that were not kept, and commits that failed."""

from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import suppress
from threading import Event
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import CommitError
from trimtab.consuming import sends
from trimtab.consuming.beginning import Beginning
from trimtab.consuming.contract import Committed, Wish
from trimtab.consuming.offsets import signature
from trimtab.consuming.transactions import Transactions

if TYPE_CHECKING:
    from confluent_kafka import Message


class Kafka:
    """A producer, as far as transactions use it; it may hang, and keeps what was committed."""

    def __init__(self) -> None:
        self.hangs = False
        self.goes_on = Event()
        self.goes_on.set()
        self.committed = list[tuple[int, list[bytes]]]()
        self._sent = list[bytes]()
        self._at = -1

    def init_transactions(self, _timeout: float) -> None:
        """Nobody else does."""

    def begin_transaction(self) -> None:
        """Begin."""
        self._sent = []

    def produce(self, **arguments: Any) -> None:  # noqa: ANN401 - as of it
        """Write, if it is committed."""
        self._sent.append(arguments["value"])

    def send_offsets_to_transaction(self, places: Any, _group: object, _timeout: float) -> None:  # noqa: ANN401 - as of it
        """Commit this position, too."""
        self._at = places[0].offset

    def commit_transaction(self, _timeout: float) -> None:
        """Have all of it, or say nothing."""
        if self.hangs:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - its public name
        assert self.goes_on.wait(20.0)
        self.committed.append((self._at, self._sent))

    def flush(self, _timeout: float) -> None:
        """Have no more to say."""

    def list_topics(self, _topic: str, _timeout: float) -> Any:  # noqa: ANN401 - as of it
        """Say nothing."""
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - as above


class Fenced(InMemory):
    """A reader of six messages, which sends with its commits."""

    def __init__(self, producer: Kafka, *, manual: bool) -> None:
        super().__init__(manual=manual)
        self.given, self.producer = self.grant(1), producer
        self.intake.readings[queue()].committed = 0
        self.fenced = Transactions(
            Wish("nowhere:1", "billing", {}, {}, 2.0),
            self.intake.owned,
            self.intake.heard,
            cast("Any", SimpleNamespace(group_metadata=bool)),
        )
        self.handover.fenced = self.handover.commits = self.upkeep._commits = self.fenced  # noqa: SLF001 - as `assemble` makes it
        self.upkeep._beginning = Beginning(self.handover)  # noqa: SLF001 - as above
        self.intake.hands_out_again = self.fenced.sends.read_again
        self.fenced.begin(self.given, 0, cast("Any", producer))
        self.offer(*range(6))
        self.loop = self.taking.each()

    def send(self, message: "Message") -> bool:
        """Send its offset."""
        effect = {"topic": "t", "value": b"%d" % (message.offset() or 0), "key": None}
        return self.parts.send(message, effect)

    def handle(self) -> None:
        """Send, and commit; go on whatever happens."""
        with suppress(CommitError):
            self.handle_in_full()

    def handle_in_full(self) -> None:
        """Send, and commit."""
        message = next(self.loop)
        with suppress(CommitError):
            self.send(message)
        assert self.parts.commit([message])

    def seek(self, offset: int) -> None:
        """Read on there."""
        self.parts.seek(queue(), offset)
        self.kafka.messages = []
        self.offer(*range(offset, 6))

    def recover(self) -> None:
        """Have Kafka back, and register again, as the upkeep does."""
        self.producer.hangs = False
        self.fenced.begin(self.given, 0, cast("Any", self.producer))


@pytest.fixture(params=[True, False])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fenced]:
    """One that has come to message 2 though Kafka hung, with no room for what is sent for 1."""
    kafka = Kafka()
    reader = Fenced(kafka, manual=request.param)
    kafka.hangs = True
    reader.handle()
    with monkeypatch.context() as full:
        full.setattr(sends, "_FULL", 0)
        reader.handle()
    reader.recover()
    reader.handle()
    yield reader
    reader.fenced.close()


def effects(reader: Fenced) -> bytes:
    """All that was written."""
    return b"".join(it for _, those in reader.producer.committed for it in those)


def test_what_is_refused_is_written_once_it_is_handled_again(reader: Fenced) -> None:
    """A loop that went on has committed messages without it; it seeks back, as it is told."""
    assert [(1, [b"0"])] == reader.producer.committed
    reader.seek(1)
    for _ in range(5):
        reader.handle()

    assert (6, b"012345") == (reader.producer.committed[-1][0], effects(reader))


def test_a_seek_forward_skips_what_was_refused(reader: Fenced) -> None:
    """Where to go on is the application's to say; until it has, a commit tells what is wrong."""
    with pytest.raises(CommitError, match=r"^not committed: send: refused since offset 1 of"):
        reader.handle_in_full()
    reader.seek(4)
    reader.handle_in_full()

    assert [(5, [b"4"])] == reader.producer.committed[-1:]
    assert b"04" == effects(reader)


def test_nothing_is_committed_between_a_seek_back_and_the_message_that_it_is_to() -> None:
    """What is in hand then comes again, and so does all between: its effects are forgotten."""
    reader = Fenced(Kafka(), manual=False)
    for _ in range(4):
        reader.send(next(reader.loop))
    reader.seek(1)
    reader.parts.commit(None)
    reader.handle()
    reader.fenced.close()

    assert b"01" == effects(reader)


def come_to(reader: Fenced, offset: int, count: int) -> None:
    """Read so many from there on, and send and commit the effect of each."""
    reader.kafka.messages = []
    reader.offer(*range(offset, offset + count))
    for _ in range(count):
        reader.handle()


SIGNED = signature(1, "0-life")


@pytest.fixture(params=[(6, SIGNED)])
def lapsing(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Fenced, Kafka]]:
    """One that has committed six messages, what it registers with next, and what Kafka has then."""
    reader, another = Fenced(Kafka(), manual=True), Kafka()
    monkeypatch.setattr(Transactions, "_register", lambda *_: another)
    told = Committed({queue(): request.param})
    monkeypatch.setattr(reader.kafka, "committed", lambda *_: told)
    come_to(reader, 0, 6)
    yield reader, another
    reader.fenced.close()


def cut(reader: Fenced, length: int, at: int | None = None) -> None:
    """Kafka loses the end of the log, and what producers write there anew is read.

    Where it is not known where that was, all is.
    """
    reader.kafka.astray[queue()] = at
    reader.kafka.length = length
    reader.upkeep.look()
    reader.kafka.messages = []
    reader.offer(*range(at or 0, length))


def test_what_is_read_in_a_log_that_was_cut_has_its_effects(
    lapsing: tuple[Fenced, Kafka],
) -> None:
    """Also of offsets that were committed in the old one."""
    reader, another = lapsing
    cut(reader, 3)
    kept = reader.send(first := next(reader.loop))
    reader.upkeep.look()
    assert reader.parts.commit([first])
    come_to(reader, 1, 2)

    assert (True, 3) == (kept, reader.intake.readings[queue()].committed)
    assert [(1, [b"0"]), (2, [b"1"]), (3, [b"2"])] == another.committed


def test_before_where_a_log_was_cut_all_has_its_effects(lapsing: tuple[Fenced, Kafka]) -> None:
    """It is the same log; what was written since has its own, also where the old one had others."""
    reader, another = lapsing
    cut(reader, 9, 2)
    reader.upkeep.look()
    come_to(reader, 2, 2)

    assert [(3, [b"2"]), (4, [b"3"])] == another.committed


@pytest.mark.parametrize("lapsing", [(6, SIGNED)], indirect=True)
@pytest.mark.parametrize("comes_late", [True, False])
def test_effects_that_were_not_committed_when_a_log_was_cut_are(
    lapsing: tuple[Fenced, Kafka],
    monkeypatch: pytest.MonkeyPatch,
    comes_late: bool,  # noqa: FBT001 - by pytest
) -> None:
    """Those of messages before it, and no others, once, whatever became of the last commit."""
    reader, another = lapsing
    reader.producer.hangs = True
    come_to(reader, 6, 3)
    if comes_late:
        told = Committed({queue(): (9, SIGNED)})
        monkeypatch.setattr(reader.kafka, "committed", lambda *_: told)
    cut(reader, 12, 8)
    reader.upkeep.look()
    come_to(reader, 8, 1)

    assert [(9, [b"8"] if comes_late else [b"6", b"7", b"8"])] == another.committed


def test_what_is_written_while_a_log_is_cut_drops_nothing_of_the_new_one(
    lapsing: tuple[Fenced, Kafka],
) -> None:
    """It ends late, with the effects of other messages at the same offsets."""
    reader, another = lapsing
    reader.producer.goes_on.clear()
    reader.fenced.write_soon(lambda: {reader.given: 9})
    cut(reader, 3)
    reader.send(first := next(reader.loop))
    reader.producer.goes_on.set()
    wait(reader.fenced._soon.values())  # noqa: SLF001 - as `hear` does
    reader.upkeep.look()
    assert reader.parts.commit([first])

    assert [(1, [b"0"])] == another.committed


@pytest.mark.parametrize("lapsing", [(5_000, ""), (2, ""), (-1, ""), (6, SIGNED)], indirect=True)
def test_whoever_registers_again_goes_on_where_it_is(lapsing: tuple[Fenced, Kafka]) -> None:
    """A reset of offsets beside a consumer at work counts for none, but for its next owner."""
    reader, another = lapsing
    reader.producer.hangs = True
    come_to(reader, 6, 1)
    reader.upkeep.look()
    come_to(reader, 7, 2)

    assert [(7, [b"6"]), (8, [b"7"]), (9, [b"8"])] == another.committed


@pytest.mark.parametrize("lapsing", [(7, SIGNED)], indirect=True)
def test_a_commit_without_an_answer_that_kafka_has_is_not_written_twice(
    lapsing: tuple[Fenced, Kafka],
) -> None:
    """It is ours by its token."""
    reader, another = lapsing
    reader.producer.hangs = True
    come_to(reader, 6, 1)
    reader.upkeep.look()
    come_to(reader, 7, 1)

    assert [(8, [b"7"])] == another.committed
