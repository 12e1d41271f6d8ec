"""Backlogs: queues that fall behind, each beside its owner.

A lag by itself says little: every consumer has messages in hand. So one queue is looked at twice,
and counts if its lag has grown and is more than a minute of what arrives.

Called by `trimtab doctor`, which measures. Its one rule: where nobody has committed, nothing is
guessed.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from console.views.findings import Finding, Kind
from console.views.sentences import several
from console.views.typed import quoted, typed

LOOK_S = 6.0
"""At least between the looks: consumers wait less between commits (``commit_interval``, 5 s)."""
_WORTH_S = 60.0
Place = tuple[str, int]
Row = Mapping[str, object]
_OWNED = {"held", "moving"}


class Lag(Protocol):
    """Where a group goes on, and where the queue ends."""

    @property
    def end(self) -> int:
        """Return where the next message will be."""

    @property
    def lag(self) -> int:
        """Return how many messages nobody has finished."""


def orphans(group: str, rows: Iterable[Row], now: Mapping[Place, Lag]) -> Iterator[Finding]:
    """Say in which queues messages wait that nobody is to take."""
    waiting = [
        f"{row['queue']} ({lag.lag})"
        for row in rows
        if row["state"] == "unassigned" and (lag := now.get(place(row))) and lag.lag
    ]
    if waiting:
        finding = f"messages wait in queues that nobody has: {several(waiting)}"
        look = typed("queues list", group, options="--state unassigned --lag")
        remedy = f"start members; `{look}`"
        yield Finding(Kind.ORPHAN_LAG, group, finding, remedy)


def late(
    group: str,
    rows: Iterable[Row],
    before: Mapping[Place, Lag],
    now: Mapping[Place, Lag],
    seconds: float,
) -> Iterator[Finding]:
    """Say which owners fall behind, and on what, by two looks and the seconds between them."""
    behind: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        first, last = before.get(place(row)), now.get(place(row))
        if row["state"] in _OWNED and first is not None and last is not None:
            arrived = last.end - first.end
            if first.lag < last.lag and arrived * _WORTH_S < last.lag * seconds:
                behind[str(row["owner"])].append(f"{row['queue']} ({last.lag})")
    for owner, queues in sorted(behind.items()):
        finding = f"{owner} is there and falls behind on {several(queues)}"
        look = typed("queues list", group, options=f"--owner {quoted(owner)} --lag --watch")
        remedy = f"look at its log; `{look}`"
        yield Finding(Kind.LAG, group, finding, remedy)


def place(row: Row) -> Place:
    """Return where a queue is in Kafka; of a broker with a name it is in none."""
    return str(row["topic"]), -1 if row["broker"] else int(str(row["id"]))
