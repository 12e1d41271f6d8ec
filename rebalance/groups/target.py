"""The target: what each member should own.

The first of two algorithms. It asks the strategy once a batch, after all events of the batch are
folded, and only when the group changed; ``baton``, the other one, moves the queues there.
Draining members get no queues: leaving is a hand-over too.

Called by ``step``. Its one rule: the target depends on the group, and never on who holds what
today, except that the strategy sees the present target.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Final

from rebalance.allocation import (
    AllocationPlan,
    AllocationRequest,
    Allocator,
    Candidate,
    Candidates,
    check_known,
    check_wanted,
)
from rebalance.groups import ailments
from rebalance.groups.handover import omissions
from rebalance.groups.members import twins
from rebalance.groups.model.capacity import limited
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.roster import Roster, Trait
from rebalance.groups.model.subscriptions import known, spelt_out, subscribed
from rebalance.ids import ANY_QUEUE, MemberId, Millis, Queue, TopicName
from rebalance.owners import Owners, owned_by
from rebalance.stamp import Stamp

_REASON_CHARACTERS: Final = 255
"""What a label may have (``trimtab.protocol.limits``)."""


def rename_owners(draft: Draft) -> None:
    """Rename owners that were replaced in this step: all at once, a fleet comes in one batch."""
    replaced_by = twins.replacements(draft)
    if replaced_by:
        owners = draft.target.owners
        queues = owned_by(owners, replaced_by.__contains__)
        draft.target.rename({queue: replaced_by[owners[queue]] for queue in queues})


def is_due(draft: Draft, clock: Millis) -> bool:
    """Tell whether the target is to be computed now."""
    if not draft.awaits_target or draft.rules.paused or draft.target.deferred:
        return False
    if ailments.is_barred(draft) or omissions.withholds(draft):
        return False
    if draft.target.urgent or draft.target.at is None:
        return True
    return clock - draft.target.at >= draft.policy.assignment_interval_ms


def retarget(draft: Draft, allocator: Allocator, now: Stamp) -> int:
    """Compute the target anew; return how many queues are meant for another member than before.

    If the strategy fails, the old target stays (``ailments``), and where it cannot answer for some
    topics, it leaves their owners as they are.
    """
    request, before = question(draft), draft.target.owners
    try:
        plan = limited(allocator(request), capacities(draft, request), before)
        aimed = _aimed(request, before, plan)
        reasons = Counter(map(_legible, plan.unassigned.values()))
        shortage = dict(sorted(reasons.items()))
        moves = sum(1 for queue in aimed if queue in before and queue in plan.owners)
        refusal = ailments.legible(plan.refusal)
    except MemoryError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - it may be a user's own
        ailments.refused_target(draft, ailments.reason_of(error), now)
        return 0
    if refusal:
        ailments.refused_target(draft, refusal, now)
    else:
        ailments.recover(draft, now, strategy=True)
    draft.target.is_new = True
    if request.queues:  # a target without queues must not delay the first real one
        draft.target.at = now.clock
    draft.target.owners, draft.target.aimed, draft.target.shortage = plan.owners, aimed, shortage
    return moves


def _legible(reason: str) -> str:
    return ailments.legible(reason, _REASON_CHARACTERS) or "?"


def _aimed(request: AllocationRequest, before: Owners, plan: AllocationPlan) -> Collection[Queue]:
    """Return the queues whose owner a plan changes, if the plan is valid.

    One that does not say what it changes may be a user's own. It may have kept owners that were
    right once, so all of it is looked at, as it is for the comparison.
    """
    if plan.changed is not None:
        given = ((it, plan.owners[it]) for it in plan.changed if it in plan.owners)
        check_wanted(request, given)
        return plan.changed
    check_wanted(request, plan.owners.items())
    check_known(request, plan.owners)
    return _differences(before, plan.owners)


def candidates(draft: Draft, without: AbstractSet[MemberId] = frozenset()) -> Candidates:
    """Return who may own something, patterns spelt out; as if some members had gone."""
    there, roster = known(draft.topics.routes.merged()), draft.membership.members.merged()
    found: dict[MemberId, Candidate] = dict(roster)
    idle = roster.those(Trait.OWNS_NOTHING) | roster.those(Trait.DRAINING)
    for name in idle | (without & found.keys()):
        del found[name]
    unlike = roster.those(Trait.PATTERNED) | roster.those(Trait.POPPING)
    for name in unlike & found.keys():
        found[name] = spelt_out(roster[name], there)
    for name, left in _left_to_the_resting(roster, found).items():
        if left:
            found[name] = replace(roster[name], topics=left)
        else:
            del found[name]
    return found


def question(draft: Draft, without: AbstractSet[MemberId] = frozenset()) -> AllocationRequest:
    """Return what the strategy is asked, or would be if some members had gone."""
    there, roster = known(draft.topics.routes.merged()), draft.membership.members.merged()
    wanted = subscribed(roster.owners_wishes, there)
    queues = {
        topic: route.queues
        for topic, route in draft.topics.routes.items()
        if topic in wanted and route.queues and route.queues[0].id != ANY_QUEUE
    }
    racks = {topic: it.racks for topic in queues if (it := draft.topics.routes[topic]).racks}
    return AllocationRequest(candidates(draft, without), queues, draft.target.owners, racks)


def capacities(draft: Draft, request: AllocationRequest) -> Mapping[MemberId, int]:
    """Return how much those candidates can carry that set a limit."""
    named = draft.membership.members.merged().those(Trait.LIMITED) & request.candidates.keys()
    known = ((name, request.candidates[name].capacity) for name in named)
    return {name: capacity for name, capacity in known if capacity is not None}


def _left_to_the_resting(
    roster: Roster, candidates: Candidates
) -> Mapping[MemberId, frozenset[TopicName]]:
    """Return, for each candidate that rests, the topics that no other member could work on."""
    resting = roster.those(Trait.RESTING) & candidates.keys()
    if not resting:
        return {}
    idle = resting | {name for name in candidates if roster[name].away}
    others = {one.topics for name, one in candidates.items() if name not in idle}
    lively = frozenset[TopicName]().union(*others)
    return {name: frozenset(candidates[name].topics) - lively for name in sorted(resting)}


def _differences(before: Owners, after: Owners) -> list[Queue]:
    changed = [queue for queue, owner in after.items() if before.get(queue) != owner]
    return changed + [queue for queue in before if queue not in after]
