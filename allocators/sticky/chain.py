"""Some members, some topics, and who holds how many queues of what: one chain, in counts.

Queues of one topic are interchangeable but for their owner, so a chain is a table of counts, a row
for each member and a column for each topic. ``held`` is the present count, ``gets`` the wanted one;
``free`` are queues that no member holds. Where caps leave queues over, an extra last row takes
exactly those, at no cost.

Made by ``levels``, filled by ``pour`` and ``transport``, smoothed by ``spread``. ``gets`` and
``free`` always add up to the same queues.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from allocators.sticky.waterline import Bounds, Ints

Flags = NDArray[np.bool_]
Counts = np.int32
"""Of queues in a table. Half as wide as all other numbers: the largest tables are all memory."""
Heaps = NDArray[np.int32]


@dataclass(slots=True)
class Chain:
    """The table. ``low`` and ``high`` bound each member's load."""

    held: Heaps
    may: Flags
    free: Ints
    low: Ints
    high: Ints
    nobody: bool = False
    """Whether the last row is nobody."""
    gets: Heaps = field(init=False)
    loads: Ints = field(init=False)
    hub: int = field(init=False)
    """How many queues members must still take beyond their lower bounds; below zero: give up."""

    def __post_init__(self) -> None:
        """Start from what is."""
        self.gets = self.held.copy("K")
        self.loads = self.gets.sum(axis=1, dtype=np.int64)
        self.recount()

    @classmethod
    def bounded(cls, held: Heaps, may: Flags, free: Ints, bounds: Bounds) -> "Chain":
        """Make the chain for these bounds, with a row for nobody when something is spilt."""
        if not bounds.spilt:
            return cls(held, may, free, bounds.low, bounds.high)
        everything = held.sum(axis=0) + free
        spilt = np.append(bounds.low, bounds.spilt)
        chain = cls(
            np.vstack([held, np.zeros_like(held[:1])]),
            np.vstack([may, np.ones_like(free, np.bool_)]),
            free,
            spilt,
            spilt,
            nobody=True,
        )
        chain.held[-1] = everything  # whatever nobody takes costs nothing
        return chain

    def recount(self) -> None:
        """Count the hub anew."""
        total = int(self.loads.sum() + self.free.sum())
        self.hub = total - int(self.low.sum()) - int(self.beyond().sum())

    def beyond(self) -> Ints:
        """Return how many queues each member has beyond its lower bound, within its bounds."""
        beyond: Ints = np.clip(self.loads - self.low, 0, self.high - self.low)
        return beyond

    def shift(self, member: int, topic: int, amount: int) -> None:
        """Give the member ``amount`` queues of the topic; take them when negative."""
        self.gets[member, topic] += amount
        self.loads[member] += amount
