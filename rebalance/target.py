"""The target: what each member should own.

The first of the two machines. It asks the strategy once a batch, after all events of the batch
are folded, and only when the group changed; how the queues get there is the other machine's
business (``handover``). Draining members are not asked for: leaving is a hand-over too.

Called by ``step``. Its one rule: the target depends on the group, never on who holds what today,
except through what the strategy is told of the present target.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from rebalance import commons
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Candidate
from rebalance.draft import Draft
from rebalance.errors import BrokenInvariant
from rebalance.ids import MemberId, Millis
from rebalance.routing import subscribed


def is_due(draft: Draft, clock: Millis) -> bool:
    """Tell whether the target is to be computed now."""
    if not draft.awaits_target or draft.paused or draft.deferred:
        return False
    if draft.urgent or draft.targeted_at is None:
        return True
    return clock - draft.targeted_at >= draft.policy.assignment_interval_ms


def retarget(draft: Draft, allocator: Allocator, clock: Millis) -> int:
    """Compute the target anew; return how many queues are meant for another member than before."""
    draft.targeted, draft.targeted_at = True, clock
    request = _request(draft)
    plan = allocator(request)
    _check(request, plan)
    before = draft.target
    draft.target = plan.owners
    draft.shortage = dict(sorted(Counter(plan.unassigned.values()).items()))
    return sum(1 for queue, owner in plan.owners.items() if before.get(queue, owner) != owner)


def _request(draft: Draft) -> AllocationRequest:
    candidates = {
        name: Candidate(
            member.topics, member.weight, member.capacity, member.rack, member.instance or ""
        )
        for name, member in draft.members.items()
        if not member.draining and commons.shares(member)
    }
    for name, candidate in _resting(draft, candidates).items():
        if candidate.topics:
            candidates[name] = candidate
        else:
            del candidates[name]
    wanted = subscribed(filter(commons.shares, draft.members.values()))
    queues = {
        topic: route.queues
        for topic, route in draft.routes.items()
        if topic in wanted and route.queues
    }
    return AllocationRequest(candidates, queues, draft.target)


def _resting(draft: Draft, candidates: Mapping[MemberId, Candidate]) -> dict[MemberId, Candidate]:
    """Return the members that rest, each with the topics that nobody else could work on."""
    members = {name: draft.members[name] for name in candidates}
    lively = subscribed(member for member in members.values() if member.resting_until is None)
    return {
        name: replace(candidates[name], topics=member.topics - lively)
        for name, member in members.items()
        if member.resting_until is not None
    }


def _check(request: AllocationRequest, plan: AllocationPlan) -> None:
    """A plan may come from a user's own strategy: hold it to the contract (I10)."""
    known = {queue for queues in request.queues.values() for queue in queues}
    for queue, owner in plan.owners.items():
        candidate = request.candidates.get(owner)
        if candidate is None:
            raise BrokenInvariant(f"{queue} was given to {owner}, which is no candidate")
        if queue.topic not in candidate.topics:
            raise BrokenInvariant(f"{queue} was given to {owner}, which does not subscribe it")
        if queue not in known:
            raise BrokenInvariant(f"{queue} was given to {owner}, but there is no such queue")
