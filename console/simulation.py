"""What a strategy does to a group that changes: moves, balance, spread, step by step.

A churn is a list of who is there. Each strategy lives through it from the same start, each step
from its own last answer, so a strategy that let the loads drift apart pays for it later. Beside
its moves stand the fewest that would have made its loads fair in that step.

Called by `trimtab simulate`.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from allocators import allocator
from allocators.sticky.strategy import sticky
from console.allocation_cases.of_groups import moves
from rebalance.allocation import AllocationPlan, AllocationRequest, Applicant
from rebalance.ids import BrokerName, MemberId, Queue, TopicName

Membership = Sequence[MemberId]

SEED = 20


@dataclass(frozen=True, slots=True)
class Step:
    """One change, and what a strategy made of it."""

    moves: int
    minimum: int
    imbalance: int
    """The largest load less the smallest."""
    spread: int
    """The same within a topic, for the worst topic."""


def live_through(name: str, topics: Mapping[str, int], churn: Sequence[Membership]) -> list[Step]:
    """Let a strategy live through a churn."""
    strategy = allocator(name)
    queues = {
        TopicName(topic): tuple(
            Queue(TopicName(topic), BrokerName(""), place) for place in range(count)
        )
        for topic, count in topics.items()
    }
    everybody = Applicant(frozenset(queues))
    request = AllocationRequest(dict.fromkeys(churn[0], everybody), queues)
    plan = strategy(request)
    steps: list[Step] = []
    for before, present in pairwise(churn):
        if before == present:
            continue
        request = AllocationRequest(dict.fromkeys(present, everybody), queues, plan.owners)
        minimum = moves(request, sticky(request))
        plan = strategy(request)
        steps.append(_judged(request, plan, minimum))
    return steps


def _judged(request: AllocationRequest, plan: AllocationPlan, minimum: int) -> Step:
    loads = Counter(plan.owners.values())
    heaps = Counter((member, queue.topic) for queue, member in plan.owners.items())
    people = list(request.candidates)
    spreads = (_gap([heaps[member, topic] for member in people]) for topic in request.queues)
    imbalance = _gap([loads[member] for member in people])
    return Step(moves(request, plan), minimum, imbalance, max(spreads, default=0))


def _gap(counts: Sequence[int]) -> int:
    return max(counts, default=0) - min(counts, default=0)


def memberships(name: str, members: int) -> list[Membership]:
    """Return who is there, step by step, in the churn called ``name``."""
    start = [_name(place) for place in range(members)]
    return [tuple(start), *CHURNS[name](start)]


def _name(place: int) -> MemberId:
    return MemberId(f"member-{place:04d}")


def _rolling_restart(start: list[MemberId]) -> Iterator[Membership]:
    for member in start:
        yield tuple(other for other in start if other != member)
        yield tuple(start)


def _deploy(start: list[MemberId]) -> Iterator[Membership]:
    there = list(start)
    for place, member in enumerate(start):
        there.append(_name(len(start) + place))
        yield tuple(there)
        there.remove(member)
        yield tuple(there)


def _join(start: list[MemberId]) -> Iterator[Membership]:
    for more in range(1, len(start) + 1):
        yield tuple(_name(place) for place in range(len(start) + more))


def _leave(start: list[MemberId]) -> Iterator[Membership]:
    for fewer in range(1, len(start)):
        yield tuple(start[fewer:])


def _random(start: list[MemberId]) -> Iterator[Membership]:
    dice = random.Random(SEED)  # noqa: S311 - a simulation is to be repeated, not a secret
    there, born = list(start), len(start)
    for _ in range(100):
        if len(there) > 1 and (dice.random() < 0.5 or len(there) > len(start) * 6 // 5):  # noqa: PLR2004 - a coin
            there.pop(dice.randrange(len(there)))
        else:
            there.append(_name(born))
            born += 1
        yield tuple(there)


CHURNS: Mapping[str, Callable[[list[MemberId]], Iterator[Membership]]] = {
    "deploy": _deploy,
    "join": _join,
    "leave": _leave,
    "random": _random,
    "rolling-restart": _rolling_restart,
}
