"""Succession: who takes over from a member that goes, before the strategy is asked.

Each queue has a standing heir, which its holder names when it goes (``standing``). Here they are
dealt anew when somebody came, went or changed, or when owners did. And when an owner is gone, the
target follows the log before the strategy is asked: its queues are meant for those that took them
over, or are about to. Then a departure that was foreseen moves nothing twice, and neither does one
of many while the controller was away: who was named in place of an heir keeps the queue. What the
evicted had, nobody has begun on; it is shared out anew, since heirs are dealt for one departure.

Called by ``step``, before ``baton`` moves queues. Its one rule: a member that cannot start on a
release never becomes a standing heir.
"""

from collections.abc import Collection
from collections.abc import Set as AbstractSet

from rebalance.allocation import Allocator, Candidates
from rebalance.groups import target
from rebalance.groups.members import departures
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.ownership import Ownership
from rebalance.groups.model.roster import Trait
from rebalance.groups.standing.dealing import Standing, deal
from rebalance.groups.standing.realms import deal_apart
from rebalance.ids import MemberId, Queue
from rebalance.owners import owned_by
from rebalance.realms import Apart


def follow(draft: Draft, *, evicted: bool = True) -> AbstractSet[Queue]:
    """Mean the queues of owners that are gone for those that have them by now, or come next.

    Returns the queues that are meant for another member than before.

    Args:
        draft: The step.
        evicted: Whether the queues of lives that this step evicts are meant for their heirs, too;
            not if the strategy is to share them out.
    """
    if not draft.handover.taken and not (
        draft.policy.standing_heirs and draft.membership.members.written
    ):
        return frozenset()
    candidates = target.candidates(draft)
    owners = draft.target.owners
    left = set(owned_by(owners, lambda it: it not in candidates))
    lost = {owners[queue] for queue in left}
    named = draft.handover.taken & owners.keys()
    taken: dict[Queue, MemberId] = {}
    for queue in sorted(left | named):
        owned = draft.handover.books.get(queue)
        if owned is not None and not evicted and departures.is_evicted(draft, owned.holder.life):
            continue
        taker = _taker(owned, lost)
        if taker is None or taker not in candidates or taker == owners[queue]:
            continue
        if queue in left or queue.topic in candidates[taker].topics:
            taken[queue] = taker
    draft.target.rename(taken)
    if not left.issuperset(taken) and not draft.outbox.changes and draft.outbox.other_cause:
        draft.outbox.changes.append(draft.outbox.other_cause)  # who was named may have too many now
    return taken.keys()


def _taker(owned: Ownership | None, lost: Collection[MemberId]) -> MemberId | None:
    if owned is None:
        return None
    if owned.holder.member not in lost:
        return owned.holder.member
    return None if owned.heir is None else owned.heir.member


def stand_by(draft: Draft, allocator: Allocator) -> None:
    """Deal standing heirs anew, if anything that they depend on has changed."""
    now, before = draft.target, draft.before.target
    if not draft.policy.standing_heirs:
        if now.heirs:
            now.redealt, now.heirs = list(now.heirs), {}
        return
    if not (now.is_new or now.renamed or draft.membership.members.written):
        return
    if isinstance(allocator, Apart):
        realms = allocator.realms(target.question(draft))
        dealt = deal_apart(now.heirs, realms, _candidates(draft), now.owners)
        now.heirs, now.redealt = dealt.standing, dealt.changes
        return
    known = now.heirs if isinstance(now.heirs, Standing) else Standing(now.owners, now.heirs)
    aimed = {*now.aimed, *now.renamed} if known.owners is before.owners else None
    dealt = deal(known, _candidates(draft), now.owners, aimed)
    now.heirs, now.redealt = dealt.standing, dealt.changes


def _candidates(draft: Draft) -> Candidates:
    """Return who may be promised a queue: who reads releases, and is there to begin."""
    roster = draft.membership.members.merged()
    candidates = dict(target.candidates(draft))
    for name in candidates.keys() & roster.those(Trait.UNREADY):
        del candidates[name]
    return candidates
