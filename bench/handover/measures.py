"""The measures: what a change cost, from the turns and first messages of all members; pure.

A queue is owned from `on_assigned` to the end of its work there, or to the owner's death. Used by
the command. Its one rule: a time counts from what a member did, never from when we heard of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from bench.departures.turns import First, Turn

S: Final = 1_000_000_000
_MS: Final = 1_000_000


class Cost(NamedTuple):
    """Of one change."""

    stable_s: float
    """From the change to the last turn; infinite if it never came to rest."""
    unowned_s: float
    """Queue-seconds without an owner, up to then."""
    doubled_s: float
    """Queue-seconds with a second one."""
    changes: int
    """Queues that came to another life than their last one."""
    elsewhere: int
    """Those of them that came to another place: a restarted life has that of the one before."""
    firsts_ms: tuple[float, ...]
    """Of each queue that came to somebody: from when it was free, and had a message, to that."""


def cost(
    turns: Sequence[Turn], firsts: Iterable[First], began: int, queues: int, *, rested: bool
) -> Cost:
    """Measure what has been since `began`; the turns before it say who had what.

    Names of lives are `place.number`; turns are in order.
    """
    owners = defaultdict[int, set[str]](set)
    last: dict[int, str] = {}
    since = dict.fromkeys(range(queues), began)
    unowned = doubled = changes = elsewhere = 0
    for turn in turns:
        queue, count = turn.queue, len(owners[turn.queue])
        if (passed := turn.at - since[queue]) > 0:
            since[queue] = turn.at
            unowned += passed * (count == 0)
            doubled += passed * max(0, count - 1)
        if not turn.begins:
            owners[queue].discard(turn.name)
            continue
        owners[queue].add(turn.name)
        before = last.get(queue, turn.name)
        if turn.at > began and before != turn.name:
            changes += 1
            elsewhere += place(before) != place(turn.name)
        last[queue] = turn.name
    end = max([began, *(it.at for it in turns)])
    unowned += sum(end - since[it] for it in range(queues) if not owners[it])
    return Cost(
        (end - began) / S if rested else float("inf"),
        unowned / S,
        doubled / S,
        changes,
        elsewhere,
        tuple(_waits(turns, firsts, began)),
    )


def place(life: str) -> str:
    """Whom a life comes in the place of."""
    return life.partition(".")[0]


def _waits(turns: Sequence[Turn], firsts: Iterable[First], began: int) -> Iterable[float]:
    """How long the first message of each tenure took that began since then."""
    for first in firsts:
        here = [it for it in turns if it.queue == first.queue and it.at <= first.at]
        begun = max((it.at for it in here if it.begins and it.name == first.name), default=0)
        if begun > began:
            free = max([began, *(it.at for it in here if not it.begins)])
            yield (first.at - max(free, first.sent)) / _MS
