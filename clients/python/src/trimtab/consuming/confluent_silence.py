"""Silence: a client of librdkafka that hears nothing of what is committed, for long.

It may have lost the broker that knows (`confluent_stall` says how), which nobody would notice by
what is read: of a queue that has not begun, nothing is. Where queues begin and end is asked apart.
Used by `confluent`. Its one rule: another client takes over once it has had an answer, and not
before; it knows fewer brokers than one that reads.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from trimtab.clock import now_s
from trimtab.consuming.contract import Committed
from trimtab.kafka_log import KAFKA_LOGGER
from trimtab.protocol import QueueRef
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_succession import successor

PATIENCE_S: Final = 10.0
"""A question has two seconds, and is asked again after eight."""
_LONGEST_S: Final = 600.0
"""The same after others were asked in vain: it is Kafka that does not answer then."""
_ASK_S: Final = 2.0
"""Another one's time: nothing is read meanwhile."""
_ASKED_S: Final = 60.0
"""What was not asked for so long is not asked any more: its queue is another member's."""
SILENT: Final = {
    KafkaError._TIMED_OUT,  # noqa: SLF001 - its public name, as the next ones
    KafkaError._WAIT_COORD,  # noqa: SLF001 - public as well
    KafkaError._TRANSPORT,  # noqa: SLF001 - public as well
    KafkaError._ALL_BROKERS_DOWN,  # noqa: SLF001 - public as well
}
"""What librdkafka says when nobody has answered."""


class Silence:
    """What one client was asked in vain: what is committed of queues."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._shortest_s = self._patience_s = patience_s
        self._asked: dict[QueueRef, tuple[float, float]] = {}
        """When there was no answer of each first, after the last one that was, and when last."""

    def noted(self, queues: Iterable[QueueRef], answer: Committed) -> Committed:
        """Note what was answered of these, and what was not."""
        now = now_s()
        is_silent = answer.refused is not None and _is_silent(answer.refused.said)
        for it in queues:
            if is_silent and it not in answer.at:
                self._asked[it] = self._asked.get(it, (now, now))[0], now
            elif self._asked.pop(it, None) is not None:
                self._patience_s = self._shortest_s
        return answer

    def found(self) -> set[QueueRef]:
        """Return the queues of which another client should be asked."""
        since = now_s() - _ASKED_S
        self._asked = {it: at for it, at in self._asked.items() if at[1] > since}
        asked = self._asked.items()
        return {it for it, (first, last) in asked if last - first >= self._patience_s}

    def anew(self) -> None:
        """Another client is asked from now on."""
        now = now_s()
        self._asked = dict.fromkeys(self._asked, (now, now))

    def replaced(self) -> None:
        """Another client was tried; the next is so as well, more rarely each time."""
        self.anew()
        self._patience_s = min(2 * self._patience_s, _LONGEST_S)


def answered(settings: Mapping[str, Any], queues: Iterable[QueueRef]) -> Consumer | None:
    """Make another client; return it if there is an answer for it."""
    another = successor(Consumer, settings, KAFKA_LOGGER.warning)
    if another is None:
        return None
    try:
        another.committed([TopicPartition(it.topic, it.id) for it in queues], _ASK_S)
    except KafkaException as error:
        if _is_silent(error):
            held: list[object] = [another]
            del another
            discard(held)
            return None
    return another


def _is_silent(said: Exception) -> bool:
    return isinstance(said, KafkaException) and said.args[0].code() in SILENT
