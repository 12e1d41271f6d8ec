"""What standing heirs may be at best, by trying everything, and what is asked of them.

Every way to give the queues of one departing member to the others; most queues first, then the
lowest loads by weight. It shares no line with what it judges. Called by the laws of the standing
heirs.

Its one rule: no cleverness.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from rebalance.allocation import Candidate, Candidates
from rebalance.ids import MemberId, Queue

Owners = Mapping[Queue, MemberId]
Heirs = Mapping[Queue, MemberId]


def allowed(candidates: Candidates, owners: Owners, heirs: Heirs) -> bool:
    """Say whether each heir is another member than the owner, wants the topic and has room."""
    loads = Counter(owners.values())
    more = Counter((owners[queue], heir) for queue, heir in heirs.items())
    return all(
        heir != owners[queue] and queue.topic in candidates[heir].topics
        for queue, heir in heirs.items()
    ) and all(_fits(candidates[heir], loads[heir] + count) for (_, heir), count in more.items())


def holdings(owners: Owners) -> Mapping[MemberId, list[Queue]]:
    """Return the queues of each owner."""
    found: dict[MemberId, list[Queue]] = {}
    for queue in sorted(owners):
        found.setdefault(owners[queue], []).append(queue)
    return found


def best(candidates: Candidates, owners: Owners, owner: MemberId) -> Heirs:
    """Return the best spread of one member's queues over the others."""
    queues = holdings(owners)[owner]
    others = [name for name in candidates if name != owner]
    takers = [
        [None, *(name for name in others if queue.topic in candidates[name].topics)]
        for queue in queues
    ]
    tried = (
        {queue: heir for queue, heir in zip(queues, choice, strict=True) if heir is not None}
        for choice in product(*takers)
    )
    fitting = (heirs for heirs in tried if allowed(candidates, owners, heirs))
    return min(fitting, key=lambda heirs: (-len(heirs), _lifts(candidates, owners, owner, heirs)))


def highest(candidates: Candidates, owners: Owners, heirs: Heirs, more: int = 0) -> Fraction:
    """Return how high the highest heir of one member's queues stands, with so many queues more."""
    loads, gets = Counter(owners.values()), Counter(heirs.values())
    lifts = (Fraction(loads[it] + gets[it] + more, candidates[it].weight) for it in gets)
    return max(lifts, default=Fraction(0))


def _lifts(candidates: Candidates, owners: Owners, owner: MemberId, heirs: Heirs) -> list[Fraction]:
    loads, gets = Counter(owners.values()), Counter(heirs.values())
    return sorted(
        (
            Fraction(loads[name] + gets[name], one.weight)
            for name, one in candidates.items()
            if name != owner
        ),
        reverse=True,
    )


def _fits(one: Candidate, load: int) -> bool:
    return one.capacity is None or load <= one.capacity
