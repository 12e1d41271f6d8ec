"""Spreading topics in tables that are too large for ``spread``: swaps, many at a time.

A member that has many queues of a topic looks for a member with few of it that has, of some other
topic, more than the first; each pair swaps one for one. No load changes, and no swap is made that
costs a move. Two columns of the table show all pairs at once, so the search goes by columns, at
most ``LOOKS`` pairs of them. Only members that something changed for take part: between others
every swap is a move. This is a heuristic without a proof: longer rings of swaps are not searched.

Called by ``sticky``. Its one rule: loads stay as they are and moves never rise.
"""

import numpy as np

from allocators.sticky.chain import Chain, Flags, Heaps
from allocators.sticky.waterline import Ints

LOOKS = 1024
"""A bound on work that does not depend on the machine: 0.3 s for 10,000 members."""

FAR = 2**29
"""Beyond all prices, and two of it still fit into 32 bits."""


def swap(chain: Chain) -> None:
    """Lower the heaps that stand out, topic by topic."""
    rows = np.flatnonzero((chain.gets != chain.held).any(axis=1))
    if chain.nobody:
        rows = rows[rows < len(chain.loads) - 1]
    if rows.size == len(chain.gets):  # without copies
        _Fair(chain.held, chain.may, chain.gets).hold()
    elif rows.size > 1:
        fair = _Fair(chain.held[rows], chain.may[rows], chain.gets[rows])
        fair.hold()
        chain.gets[rows] = fair.gets


class _Fair:
    """The members that something changed for, and what they swap."""

    def __init__(self, held: Heaps, may: Flags, gets: Heaps) -> None:
        self._held, self._may, self.gets = held, may, gets
        self._move = 8 * (int(gets.max()) + 2)  # more than all squares of a swap

    def hold(self) -> None:
        """Go through the topics, and for each through the others, as long as a heap stands out."""
        if self.gets.max() <= 1:
            return
        looks = LOOKS
        for topic in np.flatnonzero(self._stands_out()).tolist():
            for other in self._others(topic)[:looks]:
                looks -= 1
                if self._swapped(topic, other) and not self._stands_out(topic):
                    break

    def _stands_out(self, topic: int | slice = slice(None)) -> Flags:
        """Say whether two heaps of a topic differ by more than one."""
        gets, may = self.gets[:, topic], self._may[:, topic]
        lowest = np.where(may, gets, FAR).min(axis=0)
        flags: Flags = gets.max(axis=0) > lowest + 1
        return flags

    def _others(self, topic: int) -> list[int]:
        """Return the other topics, the next one first, so that not all swap for the same one."""
        count = self.gets.shape[1]
        return [(topic + step) % count for step in range(1, count)]

    def _swapped(self, topic: int, other: int) -> bool:
        """Swap queues of these two topics between as many pairs of members as it is good for."""
        gain, lose = self._prices(topic)
        gain_other, lose_other = self._prices(other)
        give, take = lose + gain_other, gain + lose_other
        givers = np.flatnonzero((give < take) & (give < -take.min()))
        if not givers.size:
            return False
        takers = np.flatnonzero((take <= give) & (take < -give.min()))
        givers = givers[np.argsort(give[givers], kind="stable")][: takers.size]
        takers = takers[np.argsort(take[takers], kind="stable")][: givers.size]
        good = np.count_nonzero(give[givers] + take[takers] < 0)
        self.gets[givers[:good], topic] -= 1
        self.gets[takers[:good], topic] += 1
        self.gets[takers[:good], other] -= 1
        self.gets[givers[:good], other] += 1
        return bool(good)

    def _prices(self, topic: int) -> tuple[Ints, Ints]:
        """Return what it costs each member to get one more of the topic, and one less."""
        gets, held, may = self.gets[:, topic], self._held[:, topic], self._may[:, topic]
        gain = np.where(may, 2 * gets + 1 + self._move * (gets >= held), FAR)
        lose = np.where(gets > 0, 1 - 2 * gets - self._move * (gets > held), FAR)
        return gain, lose
