"""Possession: who may be working on each queue, as far as the wire tells (I1, I3).

A life may work on a queue from the record that says "hold"; an heir, from the moment that the first
release of the grant it waits for is in the log and names it, because it asks no one. A release may
also name a life that was not promised the queue; then that is a grant of its own. A life may work
until its own release is in the log, or a beat proves that it has let go, or its life has ended:
withdrawn, evicted, left, or replaced by a younger one. What a later record *omits* ends nothing:
the member may not have read it yet.

The records of one batch stand in no agreed order, and the record that ends one life may follow the
one that names its successor. So a conflict is first a suspicion; it is a violation unless the other
life is over before the group's next epoch. A later release clears nothing. Where joins and leaves
were not shown, a life that is silent may have left; but not one whose newest assignment still says
"hold", because the assignment of a member that goes is withdrawn or replaced in that same batch.

Two kinds of members send no releases. An eager one stops when its assignment no longer says "hold",
so its claim ends with it. One that broadcasts or shares owns nothing, so it is not judged here.

Called by ``checker`` with every entry of one group. Of all releases of a grant the first in the
log counts.
"""

from collections import defaultdict
from collections.abc import Iterator

from audit.deeds import REMEMBERED, Deed, PromisedGrant
from audit.history import (
    BeatSeen,
    Grant,
    Inheritance,
    Issued,
    Joined,
    Life,
    Naming,
    Place,
    Queue,
    Released,
    Tenure,
)
from audit.shown import Shown
from audit.violations import Invariant, Violation, queue_text


class Possession:
    """All queues of one group."""

    def __init__(self, group: str, *, exact: bool, releases: Shown, joins: Shown) -> None:
        """Begin with no deed at all; say what will be shown, and in which order (``Promises``)."""
        self._group = group
        self._exact = exact
        self._releases = releases
        self._joins = joins
        self._gone: set[Life] = set()
        self._beating: set[Life] = set()
        """Since the group's last epoch."""
        self._deeds: defaultdict[Queue, Deed] = defaultdict(Deed)
        self._queues: defaultdict[Life, set[Queue]] = defaultdict(set)
        self._held: dict[Life, tuple[Grant, ...]] = {}
        """What the newest assignment of each says."""
        self._eager: set[Life] = set()
        self._common: set[Life] = set()
        self._epoch = 0
        self._suspicions: list[tuple[Queue, PromisedGrant, PromisedGrant, Place]] = []
        self.unjudged = 0
        """Grants that may have ended by a release or a leave that nobody can see."""

    # -- what is published

    def begins(self, epoch: int) -> Iterator[Violation]:
        """A new epoch may begin here: all has been said of the one before."""
        if epoch > self._epoch:
            yield from self.settled()
            self._epoch = epoch
            self._beating.clear()

    def issued(self, record: Issued) -> Iterator[Violation]:
        """Enter a member's assignment."""
        if record.common or record.life in self._common:
            self.ended(record.life)  # it may have owned something before
            return
        self._held[record.life] = record.hold
        if record.life in self._eager:
            self._complies(record)
        for row in record.hold:
            claim, wrong = self._claim(record, row)
            yield from wrong
            yield from self._unnamed(row.queue, claim, record.at)
            yield from self._enabled(row.queue, claim, record.at)
        for row in () if record.life in self._eager else record.give:
            claim, _ = self._claim(record, row)  # no new grant; what made it may not be shown
            claim.told_to_give = claim.told_to_give or record.epoch
            if claim.able and not self._releases.covers(record.at):
                claim.able, claim.unseen = False, True
        for inherited in record.inherit:
            yield from self._inherited(record, inherited)

    def _inherited(self, record: Issued, row: Inheritance) -> Iterator[Violation]:
        claim, wrong = self._claim(record, Grant(row.queue, row.epoch))
        yield from wrong
        claim.source = Tenure(row.source, row.source_epoch)
        if self._deeds[row.queue].released.get(claim.source) == row.epoch:
            yield from self._enabled(row.queue, claim, record.at)

    def _claim(self, record: Issued, row: Grant) -> tuple[PromisedGrant, list[Violation]]:
        deed, key = self._deeds[row.queue], Tenure(record.life, row.epoch)
        known = deed.claims.get(key)
        again = (row.epoch, record.life) == (deed.newest, deed.newest_life)
        over = key in deed.granted and not again  # named by a controller that has not read of it
        if known is not None or over or key in deed.released or record.life in self._gone:
            return known or PromisedGrant(record.life, row.epoch, record.at), []
        wrong = []
        if row.epoch <= deed.newest and not again:
            detail = f"a new grant under epoch {row.epoch}, not above {deed.newest}"
            wrong.append(self._violation(Invariant.TOKENS_GROW, row.queue, detail, record.at))
        if row.epoch > deed.newest:
            deed.newest, deed.newest_life = row.epoch, record.life
        deed.grant(key)
        claim = deed.claims[key] = PromisedGrant(record.life, row.epoch, record.at)
        self._queues[record.life].add(row.queue)
        return claim, wrong

    def _unnamed(self, queue: Queue, claim: PromisedGrant, at: Place) -> Iterator[Violation]:
        """A grant is worked under, or is to be, though the release that it waits for names another.

        What a forgotten release named nobody knows any more.
        """
        released, begun = self._deeds[queue].released, self._deeds[queue].begun
        if claim.able or claim.source is None or claim.source not in begun:
            return
        if released[claim.source] != claim.epoch:
            named = released[claim.source] or "nobody"
            who = f"{claim.life.member}@{claim.epoch}"
            detail = f"work under {who}, and the first release before it names {named}"
            yield self._violation(Invariant.ONE_OWNER, queue, detail, at)

    def _enabled(self, queue: Queue, claim: PromisedGrant, at: Place) -> Iterator[Violation]:
        """Let a claim work, unless it is over; suspect all others that may work."""
        deed = self._deeds[queue]
        if claim.able or deed.claims.get(Tenure(claim.life, claim.epoch)) is not claim:
            return
        claim.able = True
        if claim.epoch < deed.working:
            detail = f"work under epoch {claim.epoch} after {deed.working}"
            yield self._violation(Invariant.TOKENS_GROW, queue, detail, at)
        deed.working = max(deed.working, claim.epoch)
        for other in deed.claims.values():
            if other.life != claim.life and other.able:
                self._suspicions.append((queue, claim, other, at))
            self.unjudged += other.life != claim.life and other.unseen

    def _complies(self, record: Issued) -> None:
        """An eager member works on what it is told to hold, and on nothing else."""
        for queue in self._queues.get(record.life, ()):
            claims = self._deeds[queue].claims
            for tenure in list(claims):
                if tenure.life == record.life and Grant(queue, tenure.epoch) not in record.hold:
                    del claims[tenure]

    # -- what is heard

    def joined(self, record: Joined) -> None:
        """Take note of a life's manners; one that owns nothing any more has let go of all it had.

        Clients that know no releases have one life for ever, and may be back in it.
        """
        if record.eager:
            self._gone.discard(record.life)
        if record.broadcasting or record.sharing:
            self.ended(record.life)
        for manner, lives in (
            (record.eager, self._eager),
            (record.broadcasting or record.sharing, self._common),
        ):
            (lives.add if manner else lives.discard)(record.life)

    def released(self, record: Released) -> Iterator[Violation]:
        """A life is done, and the heir that the first release of a grant names may start."""
        for row in record.namings:
            deed, source = self._deeds[row.queue], Tenure(record.life, row.epoch)
            if source in deed.released:
                continue
            deed.released[source] = row.next if row.to is None else None
            if source in deed.claims and deed.claims[source].able:
                deed.begun.add(source)
            while len(deed.released) > REMEMBERED:
                forgotten = next(iter(deed.released))
                del deed.released[forgotten]
                deed.begun.discard(forgotten)
            deed.claims.pop(source, None)
            for heir in list(deed.claims.values()):
                if (heir.source, heir.epoch) == (source, row.next) and row.to is None:
                    yield from self._enabled(row.queue, heir, record.at)
            if row.to is not None:
                yield from self._named(record, row, row.to)

    def _named(self, record: Released, row: Naming, life: Life) -> Iterator[Violation]:
        """A life is named that may not have been promised the queue: a grant by itself."""
        deed, epoch = self._deeds[row.queue], row.next or 0
        if epoch <= row.epoch or life in self._gone:
            return
        tenure = Tenure(life, epoch)
        claim = deed.claims.setdefault(tenure, PromisedGrant(life, epoch, record.at))
        deed.grant(tenure)
        self._queues[life].add(row.queue)
        yield from self._enabled(row.queue, claim, record.at)

    def beat(self, record: BeatSeen) -> Iterator[Violation]:
        """A full beat proves that what it does not list was let go, if it had been told to.

        And what it lists is worked on.
        """
        self._beating.add(record.life)
        if record.owned is None:
            return
        for row in record.owned:
            claim = self._deeds[row.queue].claims.get(Tenure(record.life, row.epoch))
            if claim is not None and record.epoch >= claim.epoch:  # or it is a lie: not told yet
                yield from self._unnamed(row.queue, claim, record.at)
        owned = set(record.owned)
        for queue in self._queues.get(record.life, ()):
            claims = self._deeds[queue].claims
            for tenure, claim in list(claims.items()):
                told = claim.told_to_give if self._releases.covers(claim.said) else tenure.epoch
                if tenure.life != record.life or told is None or record.epoch < told:
                    continue
                if Grant(queue, tenure.epoch) not in owned:
                    del claims[tenure]

    def ended(self, life: Life) -> None:
        """A life is over: it works on nothing any more, whatever it thinks.

        Its manners are not forgotten: it may have joined again before the word of its end came.
        """
        self._held.pop(life, None)
        for queue in self._queues.pop(life, ()):
            claims = self._deeds[queue].claims
            for tenure in [it for it in claims if it.life == life]:
                del claims[tenure]

    def left(self, life: Life) -> None:
        """A life says that it has stopped; if not exact, what it was told before may come later."""
        self.ended(life)
        if not self._exact:
            self._gone.add(life)

    def settled(self) -> Iterator[Violation]:
        """Judge the suspicions: everything of a batch has been said."""
        suspicions, self._suspicions = self._suspicions, []
        for queue, one, other, at in suspicions:
            if one.life not in self._queues or other.life not in self._queues:
                continue
            if not self._joins.covers(other.said) and not self._is_there(queue, other):
                self.unjudged += 1
                continue  # it may have left, which was not shown
            if other.life in self._eager and not self._claims(queue, other):
                continue  # its new assignment stands beside its successor's
            names = sorted(f"{each.life.member}@{each.epoch}" for each in (one, other))
            detail = f"{names[0]} and {names[1]} may both work on it"
            places = (other.said, at)
            yield Violation(Invariant.ONE_OWNER, self._group, queue_text(queue), detail, places)

    def _is_there(self, queue: Queue, claim: PromisedGrant) -> bool:
        """Whether a life has sent a beat, or is told to hold and that was not withdrawn."""
        held = Grant(queue, claim.epoch) in self._held.get(claim.life, ())
        return held or claim.life in self._beating

    def _claims(self, queue: Queue, claim: PromisedGrant) -> bool:
        return (claim.life, claim.epoch) in self._deeds[queue].claims

    def _violation(self, invariant: Invariant, queue: Queue, detail: str, at: Place) -> Violation:
        return Violation(invariant, self._group, queue_text(queue), detail, (at,))
