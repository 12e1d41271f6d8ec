"""What is told of transactions that nobody waited for."""

import time
from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import CommitError, Grant
from trimtab.callbacks import Ownership
from trimtab.consuming import sends
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.sends import Send
from trimtab.consuming.transactions import Transactions

ONE = Grant(queue(), 1)


@pytest.mark.parametrize("is_owned", [True, False])
def test_who_was_fenced_off_after_a_hand_over_is_not_alarmed(is_owned: bool) -> None:  # noqa: FBT001 - by pytest
    """The next owner has registered, as it should; what it shut out is written by it."""
    owned = {ONE}

    def mine(grants: Collection[Grant]) -> Ownership:
        return Ownership(frozenset(owned & set(grants)), time.monotonic() + 60, "0-life")

    client = cast("Any", SimpleNamespace(group_metadata=bool))
    wish = Wish("nowhere:1", "billing", {}, {}, 2.0)
    transactions = Transactions(wish, mine, lambda _: None, client)
    transactions.write_soon(lambda: {ONE: 5})  # it has not registered
    transactions.close()
    if not is_owned:
        owned.clear()
    told = []
    for _ in range(50):
        time.sleep(0.01)
        try:
            transactions.hear()
        except RefusedError as error:
            told.append(error)

    assert int(is_owned) == len(told)


def test_many_queues_do_not_wait_for_a_kafka_that_hangs_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else the upkeep would be away for as long: it says nothing meanwhile, and cannot end."""

    def hangs(_: Transactions, grant: Grant) -> None:
        time.sleep(1.0)
        raise RefusedError(TimeoutError(str(grant.token)))

    monkeypatch.setattr(Transactions, "_register", hangs)
    client = cast("Any", SimpleNamespace(group_metadata=bool))
    wish = Wish("nowhere:1", "billing", {}, {}, 2.0)
    transactions = Transactions(wish, cast("Any", None), lambda _: None, client)
    began = time.monotonic()
    ours, failed = transactions.register([Grant(queue(it), 1) for it in range(64)])
    took = time.monotonic() - began
    transactions.close()

    assert ({}, True) == (ours, failed is not None)
    assert took < 4.0  # eight at a time would be eight times a second


def test_queues_that_fail_again_and_again_keep_no_others_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their coordinators are away, and those of the others work."""

    def registered(_: Transactions, grant: Grant) -> Any:  # noqa: ANN401 - a producer
        if grant.queue.id >= 20:
            return cast("Any", None)
        time.sleep(0.05)
        raise RefusedError(TimeoutError(str(grant.token)))

    monkeypatch.setattr(Transactions, "_register", registered)
    client = cast("Any", SimpleNamespace(group_metadata=bool))
    transactions = Transactions(
        Wish("nowhere:1", "billing", {}, {}, 2.0), cast("Any", None), lambda _: None, client
    )
    grants = [Grant(queue(it), 1) for it in range(40)]
    begun = [len(transactions.register(grants)[0]) for _ in range(4)]
    transactions.close()

    assert 20 == begun[-1]


class Kafka:
    """A producer of confluent-kafka, as far as transactions use it; it keeps what was committed."""

    def __init__(self) -> None:
        self.committed = list[tuple[int, list[bytes]]]()
        self._sent = list[bytes]()
        self._at = -1

    def begin_transaction(self) -> None:
        """Begin."""
        self._sent = []

    def produce(self, **arguments: Any) -> None:  # noqa: ANN401 - as of it
        """Write, if it is committed."""
        self._sent.append(arguments["value"])

    def send_offsets_to_transaction(self, places: Any, _group: object, _timeout: float) -> None:  # noqa: ANN401 - as of it
        """Commit this position, too."""
        (place,) = places
        self._at = place.offset

    def commit_transaction(self, _timeout: float) -> None:
        """Have all of it."""
        self.committed.append((self._at, self._sent))


def test_a_position_never_goes_back_and_no_effect_is_written_twice() -> None:
    """Transactions of one queue may overtake each other, as many as wait for Kafka."""

    def mine(grants: Collection[Grant]) -> Ownership:
        return Ownership(frozenset(grants), time.monotonic() + 60, "0-life")

    kafka, heard = Kafka(), list[dict[Grant, int]]()
    client = cast("Any", SimpleNamespace(group_metadata=bool))
    wish = Wish("nowhere:1", "billing", {}, {}, 2.0)
    transactions = Transactions(wish, mine, lambda it: heard.append(dict(it)), client)
    transactions.begin(ONE, 3, cast("Any", kafka))
    for offset in (3, 4, 7):
        transactions.sends.add(ONE, Send(offset, {"value": b"%d" % offset}))
    for at in (5, 8, 5, 8):
        assert transactions.write(partial(dict[Grant, int], {ONE: at}))
    transactions.close()

    assert [(5, [b"3", b"4"]), (8, [b"7"]), (8, [])] == kafka.committed
    assert [{ONE: 5}, {ONE: 8}, {ONE: 8}] == heard


def test_what_is_sent_when_somebody_younger_has_the_queue_is_not_kept() -> None:
    """The member hears of it later, and what is in hand goes on until then."""
    reading = InMemory()
    grant = reading.grant(1)
    reading.offer(3)
    message = reading.taken()
    client = cast("Any", SimpleNamespace(group_metadata=bool))
    wish = Wish("nowhere:1", "billing", {}, {}, 2.0)
    reading.handover.fenced = fenced = Transactions(
        wish, reading.intake.owned, lambda _: None, client
    )
    fenced.begin(grant, 0, cast("Any", Kafka()))
    before = reading.parts.send(message, {"topic": "t", "value": b"3", "key": None})
    reading.handover.withhold([grant])
    after = reading.parts.send(message, {"topic": "t", "value": b"3", "key": None})
    fenced.begin(grant, 0, cast("Any", Kafka()))
    reading.owned.clear()  # which is told later
    lost = reading.parts.send(message, {"topic": "t", "value": b"3", "key": None})
    reading.lose(grant)
    fenced.close()

    assert (True, False, False) == (before, after, lost)
    assert [] == fenced.sends.together(lambda: {grant: 100})[1][grant]


class Poisoned(Kafka):
    """It never takes what goes with one message."""

    def __init__(self) -> None:
        super().__init__()
        self.written = 0
        self._hear: Callable[[KafkaError, None], None] | None = None

    def produce(self, **arguments: Any) -> None:  # noqa: ANN401 - as of it
        """Write, if it is committed."""
        super().produce(**arguments)
        self.written += 1
        if arguments["value"] == b"700":
            self._hear = arguments["on_delivery"]

    def commit_transaction(self, timeout: float) -> None:
        """Have all of it, or nothing."""
        if b"700" in self._sent:
            raise KafkaException(KafkaError(KafkaError._STATE))  # noqa: SLF001 - its public name
        super().commit_transaction(timeout)

    def flush(self, _timeout: float) -> None:
        """Say what has become of it; nothing else does."""
        if self._hear is not None:
            self._hear(KafkaError(KafkaError.INVALID_RECORD), None)

    def list_topics(self, _topic: str, _timeout: float) -> Any:  # noqa: ANN401 - as of it
        """Say nothing."""
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - as above


@pytest.fixture
def poisoned(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Transactions, Poisoned]]:
    """Effects of a thousand messages, which have been tried again and again."""

    def mine(grants: Collection[Grant]) -> Ownership:
        return Ownership(frozenset(grants), time.monotonic() + 60, "0-life")

    monkeypatch.setattr(sends, "_FULL", 250_000)
    kafka = Poisoned()
    client = cast("Any", SimpleNamespace(group_metadata=bool))
    transactions = Transactions(
        Wish("nowhere:1", "billing", {}, {}, 2.0), mine, lambda _: None, client
    )
    transactions.begin(ONE, 0, cast("Any", kafka))
    for offset in range(1_000):
        effect = {"topic": "t", "value": b"%d" % offset, "key": None}
        assert transactions.keep(ONE, Send(offset, effect))
    for _ in range(30):
        with pytest.raises(RefusedError):
            transactions.write(lambda: {ONE: 1_000})
        at = max([0, *(it for it, _ in kafka.committed)])
        transactions.begin(ONE, at, cast("Any", kafka))
    yield transactions, kafka
    transactions.close()


def test_what_is_never_taken_keeps_back_nothing_before_it(
    poisoned: tuple[Transactions, Poisoned],
) -> None:
    """Nor is all that comes after it written again and again, for nothing."""
    _, kafka = poisoned

    assert [b"%d" % it for it in range(700)] == [it for _, those in kafka.committed for it in those]
    assert kafka.written < 4 * 1_000


def test_what_waits_for_what_is_never_taken_is_bounded(
    poisoned: tuple[Transactions, Poisoned],
) -> None:
    """The loop reads on: it would go on until the process is out of memory."""
    transactions, _ = poisoned
    other = Grant(queue(1), 1)
    transactions.begin(other, 0, cast("Any", Kafka()))

    def send(grant: Grant, offset: int) -> bool:
        return transactions.keep(grant, Send(offset, {"topic": "t", "value": bytes(1_000)}))

    with pytest.raises(CommitError, match=r"^send: too much waits for a commit of orders/0: "):
        all(send(ONE, offset) for offset in range(1_000, 2_000))
    assert send(other, 1)
    transactions.let_go([ONE])
    assert not transactions.sends.is_full


def test_whoever_goes_on_after_that_has_committed_nothing_without_its_effects(
    poisoned: tuple[Transactions, Poisoned], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A loop may log that error and take the next message; then the topic is changed."""
    transactions, kafka = poisoned
    offsets, value = count(1_000), bytes(1_000)
    with pytest.raises(CommitError):
        all(transactions.keep(ONE, Send(it, {"topic": "t", "value": value})) for it in offsets)
    monkeypatch.setattr(Poisoned, "commit_transaction", Kafka.commit_transaction)

    with pytest.raises(RefusedError, match=r"^send: refused since offset"):
        transactions.write(lambda: {ONE: 5_000})
    assert next(offsets) - 1 == kafka.committed[-1][0]
