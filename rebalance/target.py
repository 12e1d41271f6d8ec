"""The target: what each member should own.

The first of the two machines. It asks the strategy once a batch, after all events of the batch
are folded, and only when the group changed; how the queues get there is the other machine's
business (``handover``). Draining members are not asked for: leaving is a hand-over too.

Called by ``step``. Its one rule: the target depends on the group, never on who holds what today,
except through what the strategy is told of the present target.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from rebalance import commons
from rebalance.allocation import AllocationRequest, Allocator, Candidate
from rebalance.draft import Draft
from rebalance.errors import BrokenInvariant
from rebalance.ids import MemberId, Millis, Queue
from rebalance.routing import subscribed

Owners = Mapping[Queue, MemberId]


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
    before, after = draft.target, plan.owners
    draft.aimed = _differences(before, after) if plan.changed is None else plan.changed
    _check(request, after, draft.aimed)
    draft.target = after
    draft.shortage = dict(sorted(Counter(plan.unassigned.values()).items()))
    return sum(1 for queue in draft.aimed if queue in before and queue in after)


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
        name: candidates[name]._replace(topics=member.topics - lively)
        for name, member in members.items()
        if member.resting_until is not None
    }


def _differences(before: Owners, after: Owners) -> list[Queue]:
    changed = [queue for queue, owner in after.items() if before.get(queue) != owner]
    return changed + [queue for queue in before if queue not in after]


def _check(request: AllocationRequest, owners: Owners, changed: Collection[Queue]) -> None:
    """A plan may come from a user's own strategy: hold what it changes to the contract (I10)."""
    topics = {queue.topic for queue in changed}
    known = {queue for topic in topics for queue in request.queues.get(topic, ())}
    for queue in changed:
        owner = owners.get(queue)
        candidate = None if owner is None else request.candidates.get(owner)
        if owner is None:
            continue
        if candidate is None:
            raise BrokenInvariant(f"{queue} was given to {owner}, which is no candidate")
        if queue.topic not in candidate.topics:
            raise BrokenInvariant(f"{queue} was given to {owner}, which does not subscribe it")
        if queue not in known:
            raise BrokenInvariant(f"{queue} was given to {owner}, but there is no such queue")
