"""The model Kafka: one partition of each topic of one group, as a few lists.

It stamps what it takes with its own clock, which may jump. It may lose the tail of a log that was
not read yet, or the head of one that was kept too short, and it may be away. The readers decide
what members and the controller see of it.
"""

from collections import defaultdict
from typing import Any

from streaming.wire.rows import Row
from tests.simulation.rules import DECODER, PARTITION, PREFIX
from trimtab.protocol import HEARTBEATS, MEMBERS, Assignment, Topic


class Broker:
    """Topics that grow."""

    def __init__(self) -> None:
        self.logs: dict[str, list[Row]] = {name: [] for name in DECODER.topics}
        self.orders: defaultdict[str, list[Assignment | None]] = defaultdict(list)
        """By member, what it would read; None is a tombstone."""
        self.skew_ms = 0
        self.stray_ms = 0
        """How wrong the next stamp of a heartbeat is beside that."""
        self.other_ms = 0
        """How wrong every other one is."""
        self.behind_ms = 0
        """How far behind the clock is by which members join and leave."""
        self._written: dict[tuple[str, int], int] = {}
        self.down_until = 0

    def up(self, now: int) -> bool:
        """Whether anybody can reach it."""
        return self.down_until <= now

    def append(
        self, topic: Topic[Any], key: bytes, value: bytes | None, now: int, size: int = 0
    ) -> int:
        """Take a record, or the head of one of such a size; return its offset."""
        name = f"{PREFIX}{topic.name}"
        log = self.logs[name]
        offset = log[-1].offset + 1 if log else 0
        size = size or len(value or b"")
        appended_ms = now + self.skew_ms
        if topic is HEARTBEATS:
            wrong_ms = self.stray_ms + offset % 2 * self.other_ms
            appended_ms, self.stray_ms = appended_ms + wrong_ms, 0
        if topic is MEMBERS:
            appended_ms -= self.behind_ms
        log.append(Row(name, PARTITION, offset, appended_ms, key, value, size))
        self._written[name, offset] = now
        return offset

    def written_at(self, row: Row) -> int:
        """When a record was really appended, whatever its stamp."""
        return self._written[row.topic, row.offset]

    def log(self, topic: Topic[Any]) -> list[Row]:
        """All records of a topic."""
        return self.logs[f"{PREFIX}{topic.name}"]

    def jump(self, by_ms: int) -> None:
        """The clock jumps."""
        self.skew_ms += by_ms

    def outdate(self, first: int, since_ms: int) -> None:
        """Of the beats before the first that was not read keep those written since then."""
        beats = self.log(HEARTBEATS)
        first = min(first, len(beats) - 1)  # the last one stays: offsets go on from it
        beats[:first] = [it for it in beats[:first] if self.written_at(it) >= since_ms]

    def forget(self, first: int) -> int:
        """Retention takes the beats that were not read yet; return how many."""
        beats = self.log(HEARTBEATS)
        lost = len(beats) - 1 - first  # the last one stays: offsets go on from it
        if lost > 0:
            del beats[first : first + lost]
        return max(0, lost)
