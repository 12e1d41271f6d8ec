"""Putting a client of librdkafka in the place of another, and letting go of that one.

A new one reads the files of its certificate, which somebody may just be replacing: if it cannot be
made, the other one goes on, or what it was to be asked has no answer. To end one takes as long as
its threads take to end, and one that is replaced is not well: so it ends on a thread of its own.
Used wherever one is replaced. Its one rule: nobody waits.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException

from trimtab.kafka_log import KAFKA_LOGGER

_Client = TypeVar("_Client")


def successor(
    make: Callable[..., _Client],
    settings: Mapping[str, Any],
    met: Callable[[KafkaError], object],
) -> _Client | None:
    """Make a client to replace another; None: there is none now, and why was told."""
    try:
        return make({**settings}, logger=KAFKA_LOGGER)
    except KafkaException as error:
        met(error.args[0])
        return None


def unasked(error: KafkaException) -> Future[Any]:
    """Return the answer of a client that could not be asked."""
    answer: Future[Any] = Future()
    answer.set_exception(error)
    return answer


def discard(held: list[object]) -> None:
    """Let go of what is in this list; its caller holds it nowhere else."""
    Thread(target=held.clear, name="trimtab-discarding", daemon=True).start()
