"""Recent releases: what the first release of each grant said.

Of all releases of a grant (its holder's, its guard's, the controller's) the first in the log
counts, so that is the one to keep. A release and the grant that waits for it travel by different
topics, so an heir may read the release first. Recent ones are kept for a while. Forgetting one is
safe, only slower: the controller confirms every heir in its next batch.

The log also tells which lives there are: each writes a mark, and says when it goes (`nominee`).

Its one rule: a later release never counts, also if the first was forgotten. Grants of a queue are
released in the order of their epochs; so the highest epoch forgotten is all the memory this takes,
for so many queues. What is beyond them counts as forgotten to one epoch, the highest of them:
whoever invents names fills no memory.
"""

from typing import NamedTuple

from trimtab.protocol import LifeRef, QueueRef, Release
from trimtab.protocol.limits import NAMED_AHEAD, QUEUES_PER_RECORD

CAPACITY = 2 * QUEUES_PER_RECORD
"""Releases kept: two of the largest records there are, some 4 MB."""

MEMBERS = QUEUES_PER_RECORD
"""Members whose lives are remembered: more cannot have a queue of the largest group each."""


class Source(NamedTuple):
    """Whose grant it is, exactly: what an heir waits for."""

    member: str
    incarnation: str
    epoch: int


class Said(NamedTuple):
    """What a release says of a grant."""

    position: int | None
    """Where to go on, as far as it is known."""
    next: int | None
    """The grant that begins."""
    to: LifeRef | None = None
    """Whose that is; None: that of whoever was promised it."""

    def begins(self, life: LifeRef, ended: int) -> int | None:
        """Return under which epoch this life begins by its name alone, after the one that ended."""
        if self.to != life or self.next is None or not ended < self.next <= ended + NAMED_AHEAD:
            return None
        return self.next


class Lives(NamedTuple):
    """What the log says of one member's lives."""

    youngest: str = ""
    """The one that has shown its mark; empty: none has."""
    gone: str = ""
    """The youngest one that has gone."""


class Recall:
    """The first release of each grant, oldest forgotten first."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._firsts: dict[tuple[QueueRef, Source], Said] = {}
        self._forgotten: dict[QueueRef, int] = {}
        """The highest epoch of each queue whose release was forgotten, the latest at the end."""
        self._floor = 0
        """The same for all queues that do not stand there."""
        self._lives: dict[str, Lives] = {}
        """By member, as lately heard of; the others are forgotten, and are not named then."""

    def hear(self, release: Release) -> None:
        """Keep a release, of each grant that it is the first of."""
        self._hear_of(release)
        for row in release.queues:
            if row.epoch > self._forgotten.get(row.queue, self._floor):
                source = Source(release.member, release.incarnation, row.epoch)
                self._firsts.setdefault((row.queue, source), Said(*row[4:]))
        while len(self._firsts) > self._capacity:
            queue, source = oldest = next(iter(self._firsts))
            del self._firsts[oldest]
            self._forgotten[queue] = max(source.epoch, self._forgotten.pop(queue, self._floor))
            if len(self._forgotten) > self._capacity:
                first = next(iter(self._forgotten))
                self._floor = max(self._floor, self._forgotten.pop(first))

    def first(self, queue: QueueRef, source: Source) -> Said | None:
        """Return what the first release of exactly this grant said, if it was heard."""
        return self._firsts.get((queue, source))

    def has_gone(self, life: LifeRef) -> bool:
        """Whether a life has said that it goes, or a later one of its member has."""
        return self._lives.get(life.member, Lives()).gone >= life.incarnation

    def successor(self, life: LifeRef) -> LifeRef | None:
        """Return the life that is there in the place of one that has gone."""
        lives = self._lives.get(life.member, Lives())
        if life.incarnation <= lives.gone < lives.youngest:
            return LifeRef(life.member, lives.youngest)
        return None

    def _hear_of(self, release: Release) -> None:
        youngest, gone = self._lives.pop(release.member, Lives())
        if release.by is None:
            youngest = max(youngest, release.incarnation)
        if release.gone:
            gone = max(gone, release.incarnation)
        self._lives[release.member] = Lives(youngest, gone)
        if len(self._lives) > MEMBERS:
            del self._lives[next(iter(self._lives))]
