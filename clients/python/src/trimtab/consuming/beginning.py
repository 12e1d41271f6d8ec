"""Beginnings: where a queue is read from, when no position came with its release.

Used by `upkeep`, on its thread. Its one rule: where nothing was committed, the first owner decides,
and commits that before it reads anything; so nobody decides otherwise. Its heir may read before
Kafka has taken that commit, from the same place on.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trimtab.consuming.commits import Places
from trimtab.consuming.contract import Ends
from trimtab.consuming.handover import Handover
from trimtab.protocol import QueueRef
from trimtab.session import Grant

if TYPE_CHECKING:  # its library may not be installed
    from trimtab.consuming.transactions import Transactions


class Beginning:
    """Begins the queues of one consumer."""

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._intake, self._commits = handover.intake, handover.commits

    def look(self, resting: frozenset[QueueRef] = frozenset()) -> None:
        """Begin what is to be begun, but for those that rest.

        Raises:
            RefusedError: There is no answer to some of it; the rest is begun.
        """
        unbegun = [it for it in self._handover.unbegun.copy().values() if it.queue not in resting]
        if (fenced := self._handover.fenced) is None:
            if unbegun:
                self._begin(unbegun)
        elif wanted := [*unbegun, *([] if resting else fenced.lapsed)]:
            self._begin_fenced(fenced, wanted)

    def _begin(self, unbegun: list[Grant]) -> None:
        """Begin where the group stopped, or else decide where, and commit that before anything."""
        handover, intake = self._handover, self._intake
        with intake.turn:
            still = [it for it in unbegun if handover.unbegun.get(it.queue) == it]
            grants = self._owned(still)
            committed = intake.offsets.committed(list(grants))
            known = {grants[queue]: at for queue, at in committed.at.items() if at >= 0}
            intake.heard(known)
            handover.begin(known, known)
            first = self._first(grants, [it for it, at in committed.at.items() if at < 0])
            decided = {grants[queue]: at for queue, at in first.at.items()}
        self._commits.write(lambda: self._still_unbegun(decided))
        with intake.turn:
            begun = self._still_unbegun(decided)
            handover.begin(begun, begun)
        if (refused := committed.refused or first.refused) is not None:
            raise refused

    def _begin_fenced(self, fenced: "Transactions", wanted: list[Grant]) -> None:
        """Register, see what Kafka has by now, and write our token beside it; then begin."""
        handover, intake = self._handover, self._intake
        ours, failed = fenced.register(self._owned(wanted).values())
        with intake.turn:
            grants = self._owned(ours)
            signed, unsaid = intake.offsets.signed(list(grants))
            kept = self._kept(fenced, grants, signed)
            unset = [it for it, (at, _) in signed.items() if at < 0 and it not in kept]
            first = self._first(grants, unset)
        known = signed | kept | {queue: (at, 0) for queue, at in first.at.items()}
        places = {grants[queue]: it for queue, it in known.items() if it[0] >= 0}
        younger = [it for it, (_, token) in places.items() if token > it.token]
        handover.withhold(younger)
        failed = fenced.fenced_off(younger[0]) if younger else failed
        begun = {it: at for it, (at, _) in places.items() if it not in younger}
        decided = kept.keys() | first.at.keys()
        intake.heard({it: at for it, at in begun.items() if it.queue not in decided})
        for grant, at in begun.items():
            fenced.begin(grant, self._counted(grant, at), ours.pop(grant))
        fenced.decline(ours)
        fenced.let_go(begun.keys() - self._owned(begun).values())  # lost meanwhile
        self._commits.write(lambda: self._still_unbegun(begun))
        with intake.turn:
            still = self._still_unbegun(begun)
            handover.begin(still, still)
        if (failed := failed or unsaid or first.refused) is not None:
            raise failed

    def _kept(
        self,
        fenced: "Transactions",
        grants: dict[QueueRef, Grant],
        signed: dict[QueueRef, tuple[int, int]],
    ) -> dict[QueueRef, tuple[int, int]]:
        """Where those are that are read on, though somebody has reset what they had committed."""
        reached, unbegun = fenced.reached, self._handover.unbegun
        lapsed = {queue: it for queue, it in grants.items() if it in reached}
        return {
            queue: (reached[it], 0)
            for queue, it in lapsed.items()
            if queue not in unbegun and queue in signed and signed[queue][1] < it.token
        }

    def _counted(self, grant: Grant, at: int) -> int:
        """What counts of a position that Kafka has: less where that is one of an old log."""
        reading = self._intake.readings.get(grant.queue)
        if reading is None or reading.grant != grant:
            return at
        return reading.effective(at)

    def _first(self, grants: dict[QueueRef, Grant], queues: list[QueueRef]) -> Ends:
        """Decide where to begin, once: what is written before Kafka has that is read as well."""
        before = self._intake.decided_of([grants[it] for it in queues])
        known = {it.queue: at for it, at in before.items()}
        found = self._intake.offsets.first([it for it in queues if it not in known])
        decided = {it: self._intake.decide(grants[it], at) for it, at in found.at.items()}
        return Ends(known | decided, found.refused)

    def _owned(self, grants: Iterable[Grant]) -> dict[QueueRef, Grant]:
        return {it.queue: it for it in self._intake.owned(list(grants)).grants}

    def _still_unbegun(self, first: Places) -> dict[Grant, int]:
        """Leave out what has been given up meanwhile."""
        unbegun = self._handover.unbegun
        return {it: at for it, at in first.items() if unbegun.get(it.queue) == it}
