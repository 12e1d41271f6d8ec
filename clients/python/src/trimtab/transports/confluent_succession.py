"""Putting a client of librdkafka in the place of another, or asking one that cannot be made.

A new one reads the files of its certificate, which somebody may just be replacing: if it cannot be
made, the other one goes on, or what it was to be asked has no answer. Used wherever one is
replaced; the one before is let go of by ``confluent_discarding``.
"""

from collections.abc import Callable, Mapping
from concurrent.futures import Future
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
