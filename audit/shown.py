"""What is shown: from when on the records of a topic are in the history.

A topic may be missing, or have lost its beginning to retention while another one, which compaction
has thinned, still has records of that time. What was said of a queue before may then have been
answered by a record that nobody can see any more.

Used by ``checker``, which passes it on to ``possession`` and ``epochs``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from audit.history import Place


@dataclass(frozen=True, slots=True)
class Shown:
    """Of one kind of records."""

    missing: bool = False
    """None of them is there."""
    since: Mapping[int, int] = field(default_factory=dict)
    """By partition, the broker's time of the first that was kept, where others were before."""
    partitions: frozenset[int] | None = None
    """Those that have any; None: all have, or may have had nothing to say."""

    def covers(self, said: Place) -> bool:
        """Tell whether all that answers this can be seen."""
        is_there = self.partitions is None or said.partition in self.partitions
        is_there = is_there and not self.missing
        return is_there and said.appended_ms >= self.since.get(said.partition, 0)


ALL = Shown()
NONE = Shown(missing=True)
