"""What a subscription says of a Kafka that assigns nothing, or says nothing."""

import sys
import threading
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from tests.builders.application import WAIT_S, until
from tests.builders.half_written import HalfWritten
from tests.builders.sessions import queue
from trimtab.errors import ConfigurationError, TransportError
from trimtab.moving import subscription as module
from trimtab.moving.subscription import Changes, Subscription
from trimtab.protocol import QueueRef

SILENT = {"bootstrap.servers": "127.0.0.1:1", "group.id": "billing", "log_level": 0}


class Answering:
    """A client that is handed these instead of messages."""

    def __init__(self, *codes: int) -> None:
        self._answers = [SimpleNamespace(error=lambda it=it: KafkaError(it)) for it in codes]
        self._answers.append(SimpleNamespace(error=lambda: None))

    def subscribe(self, topics: object, **_: object) -> None:
        """It is subscribed."""

    def poll(self, _: float) -> object:
        """Give the next one."""
        return self._answers.pop(0) if self._answers else None

    def close(self) -> None:
        """It has left."""


class Mistaken(Answering):
    """One that runs an application's callback at first, which raises, and in the end."""

    def __init__(self, *errors: BaseException) -> None:
        super().__init__(KafkaError.GROUP_AUTHORIZATION_FAILED)
        self._errors = list(errors)

    def poll(self, timeout_s: float) -> object:
        """Raise the next one."""
        if self._errors:
            raise self._errors.pop(0)
        return super().poll(timeout_s)

    def close(self) -> None:
        """As above."""
        raise LookupError


class Stalled(Answering):
    """One that never finds again the broker that was away; the next one does."""

    made = 0

    def __init__(self, *_: object, forever: bool = False, **__: object) -> None:
        super().__init__()
        Stalled.made += 1
        self._is_stalled = forever or Stalled.made == 1

    def committed(self, places: list[TopicPartition], _: float) -> list[TopicPartition]:
        """Say what is committed, or nothing."""
        if self._is_stalled:
            raise KafkaException(KafkaError(KafkaError._TIMED_OUT))  # noqa: SLF001 - its public name
        return places

    def assignment(self) -> list[TopicPartition]:
        """What it was assigned; the new one nothing yet."""
        return [TopicPartition("orders", 0)] if self._is_stalled else []


@pytest.fixture
def made() -> Iterator[Subscription]:
    """One whose Kafka nobody reaches."""
    subscription = Subscription(SILENT, ["orders"])
    yield subscription
    subscription.close()


def test_what_the_coordinator_refuses_is_told(made: Subscription) -> None:
    """A program that sits idle because its way of sharing is another one does not say why else."""
    heard: list[str] = []
    codes = (
        KafkaError.INCONSISTENT_GROUP_PROTOCOL,
        KafkaError._AUTO_OFFSET_RESET,  # noqa: SLF001 - its public name; who reads sees to it
        KafkaError.GROUP_AUTHORIZATION_FAILED,
    )
    made._consumer.close()  # noqa: SLF001 - nobody else has it
    made._consumer = cast("Any", Answering(*codes))  # noqa: SLF001 - its messages are the test's
    made.start(cast("Changes", SimpleNamespace(trouble=lambda it: heard.append(str(it)))))
    until(lambda: len(heard) == 2)

    assert heard[0].startswith("partition.assignment.strategy: the others in Kafka's group have")
    assert "GROUP_AUTHORIZATION_FAILED" in heard[1]


def test_a_callback_of_the_application_that_raises_ends_nothing(made: Subscription) -> None:
    """An `error_cb`, say: it is told, and whatever comes next is heard."""
    heard: list[Exception] = []
    mistakes = LookupError(), SystemExit(3), CancelledError(), KafkaException("theirs")
    client = Mistaken(*mistakes)
    made._consumer.close()  # noqa: SLF001 - nobody else has it
    made._consumer = cast("Any", client)  # noqa: SLF001 - as above
    made.start(cast("Changes", SimpleNamespace(trouble=heard.append)))
    until(lambda: len(heard) == 5)
    made.close()

    assert "GROUP_AUTHORIZATION_FAILED" in str(heard.pop(4))
    assert ["kafka: a callback failed: "] * 5 == [str(it)[:26] for it in heard]


def test_the_same_mistake_is_logged_once(
    made: Subscription, caplog: pytest.LogCaptureFixture
) -> None:
    """It may come with each look of the thread; who is told of it counts for himself."""
    heard: list[Exception] = []
    made._consumer.close()  # noqa: SLF001 - nobody else has it
    made._consumer = cast("Any", Mistaken(*[LookupError()] * 3))  # noqa: SLF001 - as above
    made.start(cast("Changes", SimpleNamespace(trouble=heard.append)))
    until(lambda: len(heard) == 4)

    assert 1 == caplog.text.count("a callback failed")


def test_who_asks_hears_of_a_callback_that_exits(made: Subscription) -> None:
    """Else it would wait for its time to be over; and it is not ended itself."""
    made.start(cast("Changes", SimpleNamespace(trouble=lambda _: None)))
    asked = made._ask(lambda _: sys.exit(3))  # noqa: SLF001 - no Kafka answers here

    assert isinstance(asked.exception(WAIT_S), ConfigurationError)


def test_a_commit_that_was_given_up_is_not_sent(
    made: Subscription, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its queue may be somebody else's by then."""
    monkeypatch.setattr(module, "_WAIT_S", 0.1)
    hang, sent, client = threading.Event(), list[object](), Answering()
    made._consumer.close()  # noqa: SLF001 - nobody else has it
    made._consumer = cast("Any", client)  # noqa: SLF001 - as above
    monkeypatch.setattr(client, "commit", lambda **said: sent.append(said), raising=False)
    made.start(cast("Changes", SimpleNamespace(trouble=lambda _: None)))
    made._ask(lambda _: hang.wait(WAIT_S))  # noqa: SLF001 - as a question that Kafka does not answer
    with pytest.raises(TransportError):
        made.commit({queue(): (7, "")})
    hang.set()
    made._ask(bool).result(WAIT_S)  # noqa: SLF001 - it comes after the commit

    assert [] == sent


def test_an_error_callback_that_raises_does_not_end_the_thread() -> None:
    """With librdkafka itself, which runs it while messages are asked for."""
    heard: list[str] = []

    def raises(_error: object) -> None:
        raise LookupError

    subscription = Subscription({**SILENT, "error_cb": raises}, ["orders"])
    subscription.start(cast("Changes", SimpleNamespace(trouble=lambda it: heard.append(str(it)))))
    until(lambda: "kafka: a callback failed: LookupError()" in heard)
    worked = subscription._ask(lambda _: "yes")  # noqa: SLF001 - no Kafka answers here

    assert "yes" == worked.result(WAIT_S)
    subscription.close()


def test_no_answer_has_a_text(made: Subscription, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's own error has none."""
    monkeypatch.setattr(module, "_WAIT_S", 0.01)

    with pytest.raises(TransportError, match=r"it has not said in .* what is committed"):
        made.last_commits([queue()])
    with pytest.raises(TransportError, match=r"it has not said in .* whether it takes a commit"):
        made.commit({queue(): (1, "")})


def stalled(
    monkeypatch: pytest.MonkeyPatch, client: Callable[..., object]
) -> tuple[Subscription, list[QueueRef]]:
    """One with clients of this kind, that soon looks for a better one; and what it lost."""
    monkeypatch.setattr(module, "Consumer", client)
    monkeypatch.setattr(module, "_STALLED_S", 0.1)
    monkeypatch.setattr(Stalled, "made", 0)
    lost: list[QueueRef] = []
    subscription = Subscription({}, ["orders"])
    subscription.start(cast("Changes", SimpleNamespace(lose=lost.extend)))
    return subscription, lost


def test_a_client_that_finds_no_broker_any_more_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others may have its queues by then; one question without an answer is not enough."""
    subscription, lost = stalled(monkeypatch, Stalled)

    def answers() -> bool:
        with suppress(KafkaException):
            return bool(subscription.last_commits([queue()]))
        return False

    assert not answers()
    assert Stalled.made == 1
    until(answers)
    subscription.close()

    assert ([QueueRef("orders", "", 0)], 2) == (lost, Stalled.made)


def test_a_client_that_cannot_be_replaced_is_so_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is just replacing the files of its certificate."""
    made = HalfWritten(Stalled)
    subscription, lost = stalled(monkeypatch, made)

    def answers() -> bool:
        with suppress(KafkaException):
            return bool(subscription.last_commits([queue()]))
        return False

    until(answers)
    subscription.close()

    assert ([QueueRef("orders", "", 0)], 3) == (lost, made.asked)


def test_while_kafka_is_away_for_all_nothing_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new member would wait for the session of the old one."""
    subscription, lost = stalled(monkeypatch, partial(Stalled, forever=True))

    def is_looked_at() -> bool:
        with suppress(KafkaException):
            subscription.last_commits([queue()])
        return Stalled.made > 2

    until(is_looked_at)
    subscription.close()

    assert [] == lost
