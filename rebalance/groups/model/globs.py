"""Globs: which names a pattern stands for.

``*`` stands for any run of characters, also none; ``?`` for any one character; every other
character for itself; and the whole name must match. Any member may send patterns, so none may cost
more than its length and the name's. The name is read once, and all the ways in which it may match
are followed together: one bit of a number for each place of the pattern that may have been reached.
So nothing is ever tried twice, unlike in matchers that backtrack (decision 13).

Called by ``subscriptions``. It takes one step for each character, whatever the pattern.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rebalance.ids import Pattern, TopicName

ANY_RUN: Final = "*"
ANY_ONE: Final = "?"


@dataclass(frozen=True, slots=True)
class _Glob:
    """A pattern as sets of places, each set the bits of a number; place 1 is its beginning."""

    passes: Mapping[str, int]
    """By character: the places that it leads on from."""
    wild: int
    """The places that every character leads on from."""
    stays: int
    """The places that every character may be read at without leaving them."""
    end: int
    """The place behind the last character."""


def matches(pattern: Pattern, name: TopicName) -> bool:
    """Tell whether a pattern stands for a name."""
    glob = _read(pattern)
    reached = 1
    for character in name:
        onwards = (reached & glob.passes.get(character, glob.wild)) << 1
        reached = onwards | (reached & glob.stays)
        if not reached:
            return False
    return bool(reached & glob.end)


@lru_cache(maxsize=4096)
def _read(pattern: Pattern) -> _Glob:
    passes: dict[str, int] = defaultdict(int)
    wild, stays, place = 0, 0, 1
    for it in pattern:
        if it == ANY_RUN:
            stays |= place
            continue
        if it == ANY_ONE:
            wild |= place
        else:
            passes[it] |= place
        place <<= 1
    return _Glob({it: places | wild for it, places in passes.items()}, wild, stays, place)
