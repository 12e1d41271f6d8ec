"""The fairest loads over overlapping subscriptions, level by level.

Compute the fairest loads as if every member subscribed every topic (``waterline``), then try to
move queues until each load is within those bounds (``transport``). Where that is impossible, some
topics have more queues than the bounds of the members that can be reached: no member outside can
help them, and in no fairest allocation does a member outside have any of them. So cut there and
solve each part by itself. Each cut is proper (a cut with everything on one side would contradict
the waterline), so this ends. The result is the decomposition of Fujishige (1980) into levels, the
same for every fairest allocation, and inside a level every choice within the bounds is a fairest
one. That is why the fewest moves within the levels are the fewest of all.

Called by ``sticky``. Its one rule: the loads are decided before, and without regard to, moves.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from allocators.sticky.chain import Chain, Flags, Heaps
from allocators.sticky.transport import Transport
from allocators.sticky.waterline import Ints, waterline


@dataclass(frozen=True, slots=True)
class Table:
    """A whole group in counts: a row for each member, a column for each topic."""

    held: Heaps
    may: Flags
    queues: Ints
    """How many queues each topic has."""
    weights: Ints
    caps: Ints


@dataclass(frozen=True, slots=True)
class Level:
    """A chain that is settled, and where it belongs in the table."""

    members: Ints
    topics: Ints
    chain: Chain


def levels(table: Table) -> Iterator[Level]:
    """Settle every level of the table."""
    parts = [(np.arange(len(table.weights)), np.flatnonzero(table.may.any(axis=0)))]
    while parts:
        members, topics = parts.pop()
        if not members.size or not topics.size:
            continue
        chain = _chain(table, members, topics)
        reached = Transport(chain).settle()
        if reached is None:
            yield Level(members, topics, chain)
            continue
        high_members = reached[: members.size]
        high_topics = reached[len(chain.loads) : len(chain.loads) + topics.size]
        parts.append((members[high_members], topics[high_topics]))
        parts.append((members[~high_members], topics[~high_topics]))


def _chain(table: Table, members: Ints, topics: Ints) -> Chain:
    may, held = table.may, table.held
    if (members.size, topics.size) != may.shape:
        may, held = may[:, topics][members], held[:, topics][members]
    total = table.queues[topics]
    bounds = waterline(int(total.sum()), table.weights[members], table.caps[members])
    return Chain.bounded(held, may, total - held.sum(axis=0), bounds)
