"""Where queues begin or end, asked of each leader by itself.

To a consumer's own question there is no answer at all while one of the leaders gives none. To an
admin client's there is one for each queue, once the time is up. It is made anew each time: one from
before a broker froze may be refused for minutes (see `transports.confluent_ends`).

Used by `confluent`. Its one rule: what has no answer is left out, and never taken for none.
"""

from collections.abc import Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from datetime import datetime
from typing import Any, Final

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicPartition, admin

from trimtab.consuming.choice import Start
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import QueueRef
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_succession import successor
from trimtab.transports.confluent_unpolled import unpolled

_NONE: Final = -1
"""The offset of a time since when there is no message; anything below is no answer."""
_GRACE_S: Final = 1.0
"""The answers come when the time is up."""


def found_apart(
    settings: Mapping[str, Any], queues: list[QueueRef], end: Start, timeout_s: float
) -> dict[QueueRef, int]:
    """Find the first messages at an end, or since a time, wherever there is an answer."""
    client = successor(admin.AdminClient, unpolled(settings), KAFKA_LOGGER.warning)
    if client is None:
        return {}
    spec = _spec(end)
    answers = client.list_offsets(
        {TopicPartition(it.topic, it.id): spec for it in queues},
        request_timeout=timeout_s,
        isolation_level=_isolation(settings),
    )
    wait(answers.values(), timeout_s + _GRACE_S)
    found = dict[QueueRef, int]()
    for place, answer in answers.items():
        with suppress(KafkaException):
            found[QueueRef(place.topic, "", place.partition)] = _offset(answer)
    held: list[object] = [client]
    del client
    discard(held)
    return found


def _spec(end: Start) -> Any:  # noqa: ANN401 - the stubs do not know its type
    spec: Any = admin.OffsetSpec  # type: ignore[attr-defined]  # stubs
    if isinstance(end, datetime):
        return spec.for_timestamp(int(end.timestamp() * 1_000))
    return spec.earliest() if end == "earliest" else spec.latest()


def _isolation(settings: Mapping[str, Any]) -> IsolationLevel:
    """That of the reader: to one that waits for transactions, a log ends before an open one."""
    level = str(settings.get("isolation.level", "read_committed"))
    return IsolationLevel[level.upper()]


def _offset(answer: Future[Any]) -> int:
    offset = answer.result().offset if answer.done() else None
    if not isinstance(offset, int) or offset < _NONE:
        raise KafkaException(KafkaError(KafkaError._TIMED_OUT, "Failed to get offsets"))  # noqa: SLF001 - its public name
    return offset
