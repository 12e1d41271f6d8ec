"""Rest: what a group must have reached once nothing happens any more (I5).

Asked when the group has been quiet for long enough: is each queue that a member subscribes held by
exactly one life, has that life said so in a beat, and is nothing left to give? Who waits for a
queue must be the one that its holder is to name.

Called by ``checker.Checker.at_rest``. A queue that no member may have, or that the group says it
has no room for, needs no owner; nor does one whose subscribers all have what they can carry.
"""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from audit.history import (
    BeatSeen,
    Grant,
    Inheritance,
    Issued,
    Joined,
    Life,
    Queue,
    Routed,
    Summarised,
)
from audit.patterns import stand_for
from audit.violations import Invariant, Violation, queue_text

_ANY: Final = -1
"""In place of a queue's number: whichever queue of the broker."""


class Rest:
    """The last word of each member of one group."""

    def __init__(self, group: str) -> None:
        """Begin without members."""
        self._group = group
        self._topics: dict[Life, frozenset[str]] = {}
        self._patterns: dict[Life, frozenset[str]] = {}
        self._assignments: dict[Life, Issued] = {}
        self._owned: dict[Life, tuple[int, frozenset[Grant]]] = {}
        """The number of the last beat that said what it owns, and what it said."""
        self._routes: dict[str, Routed] = {}
        self._capacities: dict[Life, int] = {}
        self._apart: frozenset[str] = frozenset()
        """Members that are there and get nothing more, such as those that are draining."""
        self._broadcasting: set[Life] = set()
        self._sharing: set[Life] = set()
        self._eager: set[Life] = set()
        self._left_out: frozenset[str] = frozenset()
        self._popped: frozenset[str] = frozenset()

    def joined(self, record: Joined) -> None:
        """Take a life's subscription."""
        self._topics[record.life] = record.topics
        self._patterns[record.life] = record.patterns
        self._capacities.pop(record.life, None)
        if record.capacity is not None:
            self._capacities[record.life] = record.capacity
        for manner, lives in (
            (record.broadcasting, self._broadcasting),
            (record.sharing, self._sharing),
            (record.eager, self._eager),
        ):
            (lives.add if manner else lives.discard)(record.life)

    def routed(self, record: Routed) -> None:
        """Take what the watcher saw, unless it is older."""
        known = self._routes.get(record.topic)
        if known is None or record.version > known.version:
            self._routes[record.topic] = record

    def summarised(self, record: Summarised) -> None:
        """Take what the group says that it has no room for, and what is shared by command."""
        self._left_out, self._popped = record.left_out, record.popped
        self._apart = record.apart

    def beat(self, record: BeatSeen) -> None:
        """Take what a life says that it owns."""
        said = self._owned.get(record.life)
        if record.owned is not None and (said is None or said[0] < record.sequence):
            self._owned[record.life] = record.sequence, frozenset(record.owned)

    def issued(self, record: Issued) -> None:
        """Take a life's assignment."""
        self._assignments[record.life] = record

    def ended(self, life: Life) -> None:
        """A life is over; what it asked for is kept, for it may have joined again before."""
        for words in (self._assignments, self._owned):
            words.pop(life, None)

    def restless(self, *, acknowledged: bool) -> Iterator[Violation]:
        """Name everything that is not as it should be at rest.

        Args:
            acknowledged: Whether members must have said what they hold, so that nobody else is
                promised it. They say it once, so not if records may have been lost that Kafka had
                taken.
        """
        holders: dict[Queue, list[Life]] = {}
        common = self._broadcasting | self._sharing
        for life, assignment in self._assignments.items():
            if assignment.give:
                yield self._violation(life.member, "still told to give", assignment)
            if any(self._is_in_vain(row, acknowledged=acknowledged) for row in assignment.inherit):
                yield self._violation(life.member, "waits in vain", assignment)
            _, owned = self._owned.get(life, (0, frozenset()))
            if acknowledged and owned != frozenset(assignment.hold):
                yield self._violation(life.member, "its beats do not say what it holds", assignment)
            for grant in () if life in common else assignment.hold:
                holders.setdefault(grant.queue, []).append(life)
        yield from self._of_those_named()
        owning = self._assignments.keys() - common
        existing = self._existing(owning - self._eager)
        existing |= {it for it in self._existing(owning) if it[0] not in self._popped}
        full = {topic for topic in {it[0] for it in existing} if self._is_full(topic, owning)}
        for queue in sorted(existing | holders.keys()):
            known = queue in existing
            yield from self._judged(queue, holders.get(queue, []), existing=known, full=full)
        yield from self._of_the_commons()

    def _of_those_named(self) -> Iterator[Violation]:
        """Name holders that would name somebody who waits for nothing."""
        records = self._assignments.values()
        if any(it.unnamed for it in records):
            return
        awaited = {Grant(row.queue, row.epoch) for it in records for row in it.inherit}
        for life, assignment in self._assignments.items():
            nexts = zip(assignment.hold, assignment.heirs, strict=False)
            named = {Grant(held.queue, epoch) for held, epoch in nexts if epoch is not None}
            if not named <= awaited:
                yield self._violation(life.member, "names somebody who does not wait", assignment)

    def _is_in_vain(self, row: Inheritance, *, acknowledged: bool) -> bool:
        """Tell whether a member waits for a queue whose holder would name another, or is none."""
        source = self._assignments.get(row.source)
        if source is None:
            return True
        named = (Grant(row.queue, row.source_epoch), row.epoch)
        return acknowledged and named not in zip(source.hold, source.heirs, strict=False)

    def _of_the_commons(self) -> Iterator[Violation]:
        """Name queues that broadcasting or sharing members lack, or have not confirmed."""
        for life in sorted(self._broadcasting & self._assignments.keys()):
            assignment = self._assignments[life]
            if {grant.queue for grant in assignment.hold} != self._existing({life}):
                yield self._violation(life.member, "broadcasts, and has not all", assignment)
        sharing = self._sharing & self._assignments.keys()
        drawn = {grant.queue for life in sharing for grant in self._assignments[life].hold}
        existing = self._existing(sharing)
        drawn |= {grant.queue for it in self._assignments.values() for grant in it.shared}
        existing |= self._shared_by_command() - self._owned_by_others(drawn)
        for topic, broker, number in sorted(existing):
            if drawn.isdisjoint({(topic, broker, number), (topic, broker, _ANY)}):
                name = queue_text((topic, broker, number))
                yield self._violation(name, "shared, and nobody works on it")
        for queue in sorted(drawn - existing):
            if queue[2] != _ANY:
                yield self._violation(queue_text(queue), "shared, and there is no such queue")

    def _shared_by_command(self) -> set[Queue]:
        """Return the queues that those who send no releases have to share."""
        popping = self._assignments.keys() & self._eager - self._broadcasting - self._sharing
        return {it for it in self._existing(popping) if it[0] in self._popped}

    def _owned_by_others(self, drawn: AbstractSet[Queue]) -> set[Queue]:
        """Return the queues that somebody holds, and nobody shares."""
        held = {grant.queue for it in self._assignments.values() for grant in it.hold}
        return held - drawn

    def _existing(self, lives: AbstractSet[Life]) -> set[Queue]:
        """Return the queues of everything that some of these lives ask for."""
        wanted = frozenset[str]().union(*(self._topics.get(life, ()) for life in lives))
        by_pattern = frozenset[str]().union(*(self._patterns.get(life, ()) for life in lives))
        return {
            queue
            for topic, route in self._routes.items()
            if topic in wanted or stand_for(by_pattern, topic)
            for queue in route.queues
        }

    def _is_full(self, topic: str, owning: AbstractSet[Life]) -> bool:
        """Tell whether nobody has room for one more queue of a topic, and somebody for want of it.

        Those who get nothing more in any case do not count: they may have room.
        """
        subscribers = {life for life in owning if self._asks_for(life, topic)}
        full = {life for life in subscribers if self._has_all_it_can_carry(life)}
        takers = {life for life in subscribers if not self._is_apart(life)}
        return bool(full) and takers <= full

    def _asks_for(self, life: Life, topic: str) -> bool:
        named, patterns = self._topics.get(life, ()), self._patterns.get(life, frozenset())
        return topic in named or stand_for(patterns, topic)

    def _has_all_it_can_carry(self, life: Life) -> bool:
        capacity = self._capacities.get(life)
        return capacity is not None and len(self._assignments[life].hold) >= capacity

    def _is_apart(self, life: Life) -> bool:
        return not self._apart.isdisjoint({life.member, life.own_name})

    def _judged(
        self, queue: Queue, lives: list[Life], *, existing: bool, full: AbstractSet[str]
    ) -> Iterator[Violation]:
        if not existing:
            yield self._violation(queue_text(queue), "held, and there is no such queue")
        elif not lives and queue[0] not in full | self._left_out:
            yield self._violation(queue_text(queue), "at rest, and nobody holds it")
        elif len(lives) > 1:
            yield self._violation(queue_text(queue), f"held by {len(lives)} lives")

    def _violation(self, subject: str, detail: str, assignment: Issued | None = None) -> Violation:
        places = () if assignment is None else (assignment.at,)
        return Violation(Invariant.LIVELY, self._group, subject, detail, places)
