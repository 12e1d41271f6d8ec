"""A stall: Kafka has more of a queue than librdkafka has heard of, and librdkafka asks for none.

A broker that Kafka's metadata does not name for a moment, as after a freeze, is given up by
librdkafka (2.10 and later), and made anew when it is named again. Now and then the old one never
ends, and the new one is never made: nothing more is read from that broker, for good, and no error
is told (met in one of a hundred such moments, on a busy machine; its issue 5301 is a relative). A
client that was made after that reads as ever.

Used by `confluent`. Its one rule: it is no stall while the application, or a pause, leaves
librdkafka no reason to fetch.
"""

from collections.abc import Callable, Mapping
from typing import Final

from trimtab.clock import now_s
from trimtab.protocol import QueueRef
from trimtab.transports.confluent_ends import EndFinder, Unanswered

LOOK_S: Final = 5.0
"""Between two looks. A fetch takes milliseconds, and a connection to a broker that is back one
second; a stall is one that is found by two looks."""
_LONGEST_S: Final = 600.0
"""The same after clients that were replaced in vain: something else keeps a queue from being read
then, as a right that is missing, or a quota."""


class Stall:
    """Looks at what one client has heard of the ends of its queues."""

    def __init__(
        self, ends: EndFinder, heard: Callable[[QueueRef], int], look_s: float = LOOK_S
    ) -> None:
        """Take who asks Kafka itself, and what the client has heard; it begins with none behind."""
        self._ends, self._heard, self._shortest_s = ends, heard, look_s
        self._look_s = look_s
        self._drained = False
        """Whether the application has taken all that was there since the last look."""
        self._look_at = now_s() + look_s
        self._last: Mapping[QueueRef, int] = {}
        """What was heard of each at the last look."""
        self._asked: Mapping[QueueRef, int] = {}
        """What was heard of the queues whose ends are asked for: of those that seem to rest."""
        self._suspects: dict[QueueRef, int] = {}
        """Those for which a client was replaced, and what was heard of them, until more is."""
        self._behind: Mapping[QueueRef, int] = {}
        """Those that Kafka had more of at the last look, and what was heard of them."""

    def replaced(self, stalled: set[QueueRef]) -> None:
        """A new client reads, which has heard nothing yet; look again, more rarely each time."""
        self._suspects |= {it: self._heard(it) for it in stalled}
        self._look_s = min(2 * self._look_s, _LONGEST_S)
        self.anew()

    def anew(self) -> None:
        """A new client reads, for another reason."""
        self._look_at, self._drained = now_s() + self._look_s, False
        self._last, self._asked, self._behind = {}, {}, {}

    def drained(self) -> None:
        """The application has taken all that there was: librdkafka fetches."""
        self._drained = True

    def found(self, wanted: frozenset[QueueRef]) -> set[QueueRef]:
        """Return those of the queues that stall, of those that are read; called again and again."""
        if self._asked:
            return self._compared(wanted)
        now = now_s()
        if now >= self._look_at and wanted and self._drained:
            self._look_at, self._drained = now + self._look_s, False
            last, self._last = self._last, {it: self._heard(it) for it in wanted}
            suspects = {it: at for it, at in self._suspects.items() if self._last.get(it) == at}
            if self._suspects and not suspects:
                self._look_s = self._shortest_s
            self._suspects = suspects
            self._asked = {it: at for it, at in self._last.items() if last.get(it) == at}
            if self._asked:
                self._ends.ask(0, [(it.topic, it.id) for it in self._asked])
        return set()

    def _compared(self, wanted: frozenset[QueueRef]) -> set[QueueRef]:
        try:
            ends = self._ends.answer()
        except Unanswered:  # so Kafka is away, and nothing stalls
            self._asked = self._behind = {}
            return set()
        if ends is None:
            return set()
        asked, self._asked = self._asked, {}
        behind = {
            it: heard
            for it, heard in asked.items()
            if it in wanted
            and ends.offsets.get((it.topic, it.id), 0) > heard
            and self._heard(it) == heard
        }
        stalled = {it for it, heard in behind.items() if self._behind.get(it) == heard}
        self._behind = behind
        return stalled
