"""What a consumer does not take: each mistake is named, when it is made."""

import threading
from typing import Any, cast

import pytest

from tests.builders.application import WAIT_S, records, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.unit.sdk.test_consumer import SERVERS, a_consumer
from trimtab import AsyncConsumer, ConfigurationError, Consumer, QueueRef
from trimtab.protocol import Leave


def test_only_what_is_fenced_is_sent_with_a_commit(kafka: MemoryTransport) -> None:
    """Nothing else would hold both together."""
    with pytest.raises(ConfigurationError, match=r'^send: it needs fencing="transactional"'):
        a_consumer(kafka).send(cast("Any", None), "effects", b"x")


def test_nothing_is_read_before_the_block(kafka: MemoryTransport) -> None:
    """It says so: the loop would wait for ever for a member that nobody starts."""
    for take in (list, lambda it: it.poll(0), lambda it: next(it.batches())):
        with pytest.raises(ConfigurationError, match=r"^start: a consumer reads only in its block"):
            take(a_consumer(kafka))


def test_a_consumer_lives_once(kafka: MemoryTransport) -> None:
    """As a member does; and it says so, before anything starts."""
    consumer = a_consumer(kafka)
    with consumer:
        pass

    with (
        pytest.raises(ConfigurationError, match=r"^start: a consumer cannot be started twice"),
        consumer,
    ):
        pass


@pytest.mark.parametrize("size", [0, -1, 1_000_001, "500", 2.5])
def test_a_batch_has_a_size(kafka: MemoryTransport, size: Any) -> None:  # noqa: ANN401 - any mistake
    """Nothing else is taken for one, and it is refused when the batches are asked for."""
    with pytest.raises(ConfigurationError, match=r"^size: .* is no number of messages"):
        a_consumer(kafka).batches(size)
    asynchronous = AsyncConsumer(SERVERS, group=GROUP, topics=["orders"], transport=kafka)
    with pytest.raises(ConfigurationError, match=r"^size: .* is no number of messages"):
        asynchronous.batches(size)


def test_a_second_thread_is_refused(kafka: MemoryTransport) -> None:
    """It would say that what the first one works on is done."""

    def is_refused() -> bool:
        try:
            consumer.poll(0)
        except RuntimeError as error:
            return str(error).startswith("one thread at a time takes messages from a consumer")
        return False

    with a_consumer(kafka) as consumer:
        loop = threading.Thread(target=lambda: list(consumer))
        loop.start()
        until(is_refused)
        consumer.stop()
        loop.join(WAIT_S)


def test_a_callback_that_cannot_be_called_is_refused(kafka: MemoryTransport) -> None:
    """When the consumer is made."""
    with pytest.raises(ConfigurationError, match=r"^on_revoked: .* cannot be called"):
        a_consumer(kafka, on_revoked="later")


@pytest.mark.parametrize("offset", [-1, -2, 2**63, 2.5, "5", True, None])
def test_an_offset_is_a_number(kafka: MemoryTransport, offset: Any) -> None:  # noqa: ANN401 - any mistake
    """A client would take it for the end, drop what waits, or end with this or the next message."""
    with (
        a_consumer(kafka) as consumer,
        pytest.raises(ConfigurationError, match=r"^seek: .* is no"),
    ):
        consumer.seek(QueueRef("orders", "", 0), offset)


@pytest.mark.parametrize("name", ["bad name!", "", "..", "x" * 250])
def test_a_topic_has_a_name_that_kafka_takes(kafka: MemoryTransport, name: str) -> None:
    """Nobody would ever make the others."""
    with pytest.raises(ConfigurationError, match=r"^topics: "):
        Consumer(SERVERS, group=GROUP, topics=[name], transport=kafka)
    with a_consumer(kafka) as consumer, pytest.raises(ConfigurationError, match=r"^topics: "):
        consumer.subscribe([name])


def test_a_consumer_does_not_outlive_a_fork(
    kafka: MemoryTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its threads and connections are the other process's."""
    consumer = a_consumer(kafka)
    monkeypatch.setattr("os.getpid", lambda: -1)

    with pytest.raises(ConfigurationError, match=r"make it after the fork$"), consumer:
        pass


def test_a_fork_that_leaves_the_block_ends_nothing(
    kafka: MemoryTransport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process works on: what would be said here, or closed, is its own."""
    with a_consumer(kafka) as consumer:
        kafka.joined()
        with monkeypatch.context() as forked:
            forked.setattr("os.getpid", lambda: -1)
            consumer.__exit__(None, None, None)
        assert (True, "joining") == (consumer.running, consumer.health.state)
    consumer.__exit__(None, None, None)

    assert 1 == len(records(kafka, Leave))


@pytest.mark.parametrize("value", ["orders", ("orders", 0), None])
def test_what_is_no_queue_is_not_paused(kafka: MemoryTransport, value: Any) -> None:  # noqa: ANN401 - any mistake
    """It would be left out, as what others have."""
    with a_consumer(kafka) as consumer:
        for call in (consumer.pause, consumer.resume):
            with pytest.raises(ConfigurationError, match=r"is no QueueRef"):
                call(value)
        with pytest.raises(ConfigurationError, match=r"is no QueueRef"):
            consumer.seek(value, 0)


@pytest.mark.parametrize("value", [3, "orders", b"x"])
def test_what_is_no_message_is_refused(kafka: MemoryTransport, value: Any) -> None:  # noqa: ANN401 - any mistake
    """By each call that takes one."""
    with a_consumer(kafka, commit="manual") as consumer:
        for call in (consumer.commit, consumer.token):
            with pytest.raises(ConfigurationError, match=r"is no message of a consumer"):
                call(value)


@pytest.mark.parametrize("name", ["bootstrap.servers", "bootstrap_servers"])
def test_kafka_is_at_one_place(name: str) -> None:
    """One of two would win in silence."""
    with pytest.raises(ConfigurationError, match=f"^kafka: {name} is 'elsewhere:1', and the first"):
        Consumer(SERVERS, group=GROUP, topics=["a"], kafka={name: "elsewhere:1"})
