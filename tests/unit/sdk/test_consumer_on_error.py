"""A consumer's own `on_error`: it is told by two threads, and may fail on either."""

import sys

import pytest

from tests.builders.application import until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import CallbackError, Consumer


@pytest.mark.slow
def test_one_that_raises_ends_the_consumer() -> None:
    """Also if it is told by the thread that looks after the client: here, that Kafka is away."""
    kafka = MemoryTransport()

    def leave(_: Exception) -> None:
        sys.exit(1)

    def work() -> None:
        with Consumer(
            "127.0.0.1:1",
            group=GROUP,
            topics=["orders"],
            transport=kafka,
            kafka={"log_level": 0},
            on_error=leave,
        ) as consumer:
            kafka.assign(1, hold=[(0, 1)])
            until(lambda: consumer.member.failure)
            for _ in consumer:
                pass

    with pytest.raises(CallbackError):
        work()
