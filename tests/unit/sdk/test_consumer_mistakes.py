"""What a consumer does not take: each mistake is named, when it is made."""

import threading
from typing import Any, cast

import pytest

from tests.builders.application import WAIT_S, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from tests.unit.sdk.test_consumer import SERVERS, a_consumer
from trimtab import AsyncConsumer, ConfigurationError


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
