"""What is said of a transaction that Kafka does not take, and who is kept by that."""

import gc
import weakref
from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from tests.builders.application import until
from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.attempt import LARGEST_BATCH, Attempt
from trimtab.consuming.beginning import Beginning
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.sends import Send
from trimtab.consuming.transactions import Transactions

ONE = Grant(queue(), 1)
SMALL = 1_000
"""Bytes that a topic takes at once."""
STATE = KafkaError._STATE  # noqa: SLF001 - its public name
LACK = KafkaError._UNKNOWN_PARTITION  # noqa: SLF001 - as above


class Refusing:
    """A producer: a topic takes so much at once, and no value that says "bad".

    What became of a record is said by `flush` alone: the next call only knows that it has failed.
    """

    def __init__(self, settings: dict[str, Any] | None = None) -> None:
        self._batch = (settings or {}).get("batch.size", LARGEST_BATCH)
        self._reports = list[Callable[[], None]]()
        self._records = list[tuple[bytes, Callable[[KafkaError, None], None]]]()

    def begin_transaction(self) -> None:
        """Begin."""

    def init_transactions(self, _timeout: float) -> None:
        """Nobody else does."""

    def produce(self, *, value: bytes, on_delivery: Any, partition: int = 0, **_: object) -> None:  # noqa: ANN401 - as of it
        """Write."""
        if partition:
            raise KafkaException(KafkaError(LACK))
        self._records.append((value, on_delivery))

    def send_offsets_to_transaction(self, _places: Any, _group: object, _timeout: float) -> None:  # noqa: ANN401 - as of it
        """See what becomes of what was written."""
        for value, hear in self._records:
            if value == b"bad":
                self._refuse(hear, KafkaError.INVALID_RECORD)
        batch = list[tuple[bytes, Callable[[KafkaError, None], None]]]()
        for record in self._records:
            if batch and _size([*batch, record]) > self._batch:
                self._send(batch)
                batch = []
            batch.append(record)
        self._send(batch)
        if self._reports:
            raise KafkaException(KafkaError(STATE))

    def _send(self, batch: list[tuple[bytes, Callable[[KafkaError, None], None]]]) -> None:
        if _size(batch) > SMALL:
            for _, hear in batch:
                self._refuse(hear, KafkaError.MSG_SIZE_TOO_LARGE)

    def _refuse(self, hear: Callable[[KafkaError, None], None], code: int) -> None:
        self._reports.append(partial(hear, KafkaError(code), None))

    def commit_transaction(self, _timeout: float) -> None:
        """Have all of it."""

    def flush(self, _timeout: float) -> None:
        """Tell what became of each."""
        for tell in self._reports:
            tell()

    def list_topics(self, _topic: str, _timeout: float) -> Any:  # noqa: ANN401 - as of it
        """Say nothing."""
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - its public name


def _size(batch: Collection[tuple[bytes, object]]) -> int:
    return sum(70 + len(value) for value, _ in batch)


def failed(sends: list[Send], batch: int = LARGEST_BATCH) -> tuple[str | None, int]:
    """Write these in vain; return what is said of it, and how large the next batches are."""
    attempt = Attempt(cast("Any", Refusing({"batch.size": batch})), sends, batch)
    with pytest.raises(KafkaException):
        attempt.write(TopicPartition("orders", 0, 5), None, 1.0)
    return attempt.end(ONE), attempt.next_batch


def effect(offset: int, value: bytes, **more: object) -> Send:
    """Something to write."""
    return Send(offset, {"topic": "t", "value": value, **more})


@pytest.mark.parametrize("bad", [effect(3, b"bad"), effect(3, b"", partition=7)])
def test_what_is_refused_is_named_though_the_next_call_does_not_know_it(bad: Send) -> None:
    """The client fails at once then, and tells nobody why."""
    why, batch = failed([effect(2, b""), bad])

    assert why is not None
    assert "what goes with orders/0, nor is a commit after it: offset 3, to topic t: " in why
    assert LARGEST_BATCH == batch


def test_what_is_too_much_together_is_not_called_so_by_itself() -> None:
    """Each of them would be taken: whoever skips one loses it for nothing."""
    assert (None, LARGEST_BATCH // 10) == failed([effect(it, bytes(400)) for it in range(9)])
    why, _ = failed([effect(4, bytes(2_000))])
    assert why is not None
    assert "offset 4" in why
    many = [effect(4, b""), effect(4, b""), effect(4, bytes(2_000))]
    why, _ = failed(many, 100)
    assert why is not None
    assert "offset 4" in why


@pytest.fixture
def transactions(monkeypatch: pytest.MonkeyPatch) -> Transactions:
    """Those of a life that owns all, by clients that refuse."""

    def mine(grants: Collection[Grant]) -> Ownership:
        return Ownership(frozenset(grants), 0.0, "0-life")

    def made(settings: dict[str, Any], **_: object) -> Refusing:
        return Refusing(settings)

    monkeypatch.setattr("trimtab.consuming.transactions.Producer", made)
    client = cast("Any", type("Client", (), {"group_metadata": bool}))
    return Transactions(Wish("nowhere:1", "billing", {}, {}, 2.0), mine, lambda _: None, client)


def again(transactions: Transactions, at: int) -> None:
    """Register, as the upkeep does whenever a client was let go of."""
    ours, _ = transactions.register([ONE])
    transactions.begin(ONE, at, ours.pop(ONE))


def test_what_is_too_much_together_goes_in_smaller_batches_from_then_on(
    transactions: Transactions,
) -> None:
    """Also the effects of one message, which are never in two transactions."""
    again(transactions, 0)
    refused = [_wrote(transactions, start) for start in (0, 10)]
    transactions.close()

    # Batches of 1,000,000 bytes, of 100,000 and of 10,000; then never again.
    assert [["KafkaError{code=_STATE"] * 3, []] == [[it[:22] for it in those] for those in refused]


def test_nobody_registers_again_before_it_is_known_what_was_wrong(
    transactions: Transactions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next client would go on as the one before, and fail as that did, again and again."""
    again(transactions, 0)
    lapsed: list[list[Grant]] = []
    monkeypatch.setattr(Refusing, "flush", lambda *_: lapsed.append(transactions.lapsed))
    assert transactions.keep(ONE, effect(0, b"bad"))
    with pytest.raises(RefusedError):
        transactions.write(lambda: {ONE: 1})
    lapsed.append(transactions.lapsed)
    transactions.close()

    assert [[], [ONE]] == lapsed


def _wrote(transactions: Transactions, start: int) -> list[str]:
    """Write five effects of each of ten messages; return what was in the way."""
    for offset in range(start, start + 10):
        for _ in range(5):
            assert transactions.keep(ONE, effect(offset, bytes(400)))
    refused = list[str]()
    for _ in range(9):
        try:
            transactions.write(lambda: {ONE: start + 10})
        except RefusedError as error:
            refused.append(str(error))
            again(transactions, start)
        else:
            break
    return refused


@pytest.mark.parametrize("many", [1, 3])
def test_batches_are_as_large_as_before_once_what_is_too_large_by_itself_has_passed(
    transactions: Transactions, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    """The topic takes more now. Until then they are no smaller than tells that it is one record."""
    again(transactions, 0)
    for it in range(10):
        assert transactions.keep(ONE, effect(it // many, bytes(2_000) if it == 4 else b""))
    for _ in range(12):
        with pytest.raises(RefusedError):
            transactions.write(lambda: {ONE: 10})
        again(transactions, transactions._registered[ONE].at)  # noqa: SLF001 - what it has come to
    small = transactions._registered[ONE].batch  # noqa: SLF001 - what the client is made with
    monkeypatch.setattr("tests.unit.sdk.consuming.test_attempt.SMALL", 10_000)
    assert transactions.write(lambda: {ONE: 10})
    lapsed = transactions.lapsed
    again(transactions, 10)
    client = cast("Refusing", transactions._registered[ONE].producer)  # noqa: SLF001 - as above
    transactions.close()

    assert (100, [ONE], LARGEST_BATCH) == (small, lapsed, client._batch)  # noqa: SLF001 - as above


class Failing(Refusing):
    """It fails; its frames do not hold it, as there are none of a client in C."""

    @staticmethod
    def begin_transaction() -> None:
        """Fail."""
        raise KafkaException(KafkaError(STATE))


class Unregistered(Refusing):
    """It fails to register, as that one."""

    @staticmethod
    def init_transactions(_timeout: float) -> None:
        """Fail."""
        raise KafkaException(KafkaError(STATE))


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Iterator[weakref.WeakSet[Refusing]]:
    """The clients that are still there, without the collector: those of queue 1 do not register."""
    those = weakref.WeakSet[Refusing]()

    def made(settings: dict[str, Any], **_: object) -> Refusing:
        is_second = settings["transactional.id"].endswith(":1")
        those.add(client := Unregistered() if is_second else Failing())
        return client

    monkeypatch.setattr("trimtab.consuming.transactions.Producer", made)
    gc.disable()
    yield those
    gc.enable()


def test_whoever_keeps_an_error_keeps_no_client(
    transactions: Transactions, alive: weakref.WeakSet[Refusing]
) -> None:
    """Each has threads and connections, and there is one every few seconds."""
    errors = list[RefusedError]()
    again(transactions, 0)
    for _ in range(20):
        with pytest.raises(RefusedError) as caught:
            transactions.write(lambda: {ONE: 2})
        errors.append(caught.value)
        again(transactions, 0)
    until(lambda: len(alive) <= 1)
    transactions.close()


def test_what_cannot_begin_leaves_no_client(
    transactions: Transactions, alive: weakref.WeakSet[Refusing]
) -> None:
    """One queue does not register, and nothing of the other is written; both again and again."""
    reading = InMemory()
    reading.handover.fenced = reading.handover.commits = transactions
    grants = (ONE, Grant(queue(1), 1))
    reading.owned.update(grants)
    reading.handover.on_assigned(grants)
    errors = list[RefusedError]()
    for _ in range(20):
        with pytest.raises(RefusedError) as caught:
            Beginning(reading.handover).look()
        errors.append(caught.value)
    until(lambda: len(alive) <= 1)
    transactions.close()
