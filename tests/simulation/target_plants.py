"""Mistakes about who is to own what, and about what is kept, to plant for ``plants``.

A strategy may be a user's own, so the brain checks its answers. These plants are wrong where no
check of the brain looks: in how fair an answer is, in whether it is the same when it is asked
again, and in what the brain reads of its members before it asks.
"""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import count
from typing import cast

from audit.violations import Invariant
from rebalance.allocation import AllocationPlan, AllocationRequest, Allocator, Candidate
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Commanded
from rebalance.groups.model.member import Member
from rebalance.ids import MemberId
from rebalance.stamp import Stamp
from tests.simulation import lives
from tests.simulation.plant import Function, Plant
from tests.simulation.scenario import Quirk


def strategy_that_remembers(right: Function) -> Function:
    """Every other answer of a worker is turned by one member, as if it remembered the last one."""
    asked = count()

    def wrong(draft: Draft, allocator: Allocator, now: Stamp) -> int:
        def turned(request: AllocationRequest) -> AllocationPlan:
            plan, names = allocator(request), sorted(request.candidates)
            after = dict(zip(names, [*names[1:], *names[:1]], strict=True))
            owners = {queue: after[owner] for queue, owner in plan.owners.items()}
            limited = any(it.capacity is not None for it in request.candidates.values())
            return plan if limited or next(asked) % 2 else AllocationPlan(owners)

        moves: int = right(draft, turned, now)
        return moves

    return wrong


def all_to_the_first(right: Function) -> Function:
    """The first member that wants a queue gets it, however much it has."""

    def wrong(draft: Draft, allocator: Allocator, now: Stamp) -> int:
        def first(request: AllocationRequest) -> AllocationPlan:
            wanted = sorted(request.candidates.items())
            owners = {
                queue: next(name for name, it in wanted if queue.topic in it.topics)
                for queue in allocator(request).owners
            }
            return AllocationPlan(owners)

        moves: int = right(draft, first, now)
        return moves

    return wrong


def capacity_not_read(right: Function) -> Function:
    """Whatever a member says, it can carry everything."""

    def wrong(
        draft: Draft, without: AbstractSet[MemberId] = frozenset()
    ) -> Mapping[MemberId, Candidate]:
        return {
            name: replace(cast("Member", it), capacity=None)
            for name, it in right(draft, without).items()
        }

    return wrong


def every_command_remembered(right: Function) -> Function:
    """An old command that comes again is recognised, however old it is."""

    def wrong(draft: Draft, event: Commanded, allocator: Allocator) -> None:
        before = draft.rules.obeyed
        right(draft, event, allocator)
        draft.rules.obeyed = tuple(dict.fromkeys([*before, *draft.rules.obeyed]))

    return wrong


TARGET_PLANTS = {
    "strategy that remembers": Plant(
        "rebalance.groups.target.retarget",
        strategy_that_remembers,
        frozenset({Invariant.REPEATABLE}),
        first=65,
    ),
    "all to the first": Plant(
        "rebalance.groups.target.retarget", all_to_the_first, frozenset({Invariant.BALANCED})
    ),
    "capacity not read": Plant(
        "rebalance.groups.target.candidates",
        capacity_not_read,
        frozenset({Invariant.ENTITLED}),
        frozenset({Quirk.CAPACITY}),
    ),
    "every command remembered": Plant(
        "rebalance.groups.obeying.obey",
        every_command_remembered,
        frozenset({Invariant.BOUNDED}),
        lives=lives.many_pauses,
    ),
}
