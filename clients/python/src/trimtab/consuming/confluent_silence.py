"""Silence: questions about queues to which a client of librdkafka gets no answer, for long.

It may have lost a broker for good (`confluent_stall` says how), which nobody would notice by what
is read: of a queue that has not begun, nothing is. Used by `confluent`. Its one rule: it is no
silence before the same question has been asked again.
"""

from collections.abc import Iterable
from typing import Final, TypeVar

from confluent_kafka import KafkaError, KafkaException

from trimtab.clock import now_s
from trimtab.consuming.contract import Committed, Ends, RefusedError
from trimtab.protocol import QueueRef

A = TypeVar("A", Committed, Ends)

PATIENCE_S: Final = 10.0
"""A question has two seconds, and is asked again after eight."""
_LONGEST_S: Final = 600.0
"""The same after clients that were replaced in vain: it is Kafka that does not answer then."""
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
    """What one client was asked in vain: of brokers that lead queues, or keep what is committed."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._shortest_s = self._patience_s = patience_s
        self._asked: dict[tuple[type, QueueRef], tuple[float, float]] = {}
        """When each question had no answer first, after the last one that had, and when last."""

    def noted(self, queues: Iterable[QueueRef], answer: A) -> A:
        """Note what was answered of these, and what was not."""
        now, is_silent = now_s(), _is_silent(answer.refused)
        for it in queues:
            question = type(answer), it
            if is_silent and it not in answer.at:
                self._asked[question] = self._asked.get(question, (now, now))[0], now
            elif self._asked.pop(question, None) is not None:
                self._patience_s = self._shortest_s
        return answer

    def found(self) -> set[QueueRef]:
        """Return the queues of which another client should be asked."""
        since = now_s() - _ASKED_S
        self._asked = {it: at for it, at in self._asked.items() if at[1] > since}
        return {
            queue
            for (_, queue), (first, last) in self._asked.items()
            if last - first >= self._patience_s
        }

    def replaced(self) -> None:
        """Another client is asked from now on; it is replaced as well, more rarely each time."""
        now = now_s()
        self._asked = dict.fromkeys(self._asked, (now, now))
        self._patience_s = min(2 * self._patience_s, _LONGEST_S)


def _is_silent(refused: RefusedError | None) -> bool:
    said = None if refused is None else refused.said
    return isinstance(said, KafkaException) and said.args[0].code() in SILENT
