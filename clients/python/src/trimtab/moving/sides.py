"""Sides: which of its two owners works on a queue of a group that moves, and what each has to do.

Pure; used by `mover`. Its one rule: nobody begins before the queue's last commit names its side.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from trimtab.protocol import QueueRef

Side = Literal["kafka", "trimtab"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)


@dataclass(frozen=True, slots=True)
class LastCommit:
    """What the last commit of a queue says. A queue without a commit is on Kafka's side."""

    side: Side = "kafka"
    token: int = 0
    """The greatest that its owners have had."""
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to do."""

    begin: Mapping[QueueRef, Side] = field(default_factory=dict)
    """Work on these, as their owner on this side."""
    move: Mapping[QueueRef, Side] = field(default_factory=dict)
    """Finish these, and commit them for that side."""
    lose: frozenset[QueueRef] = frozenset()
    """Stop: somebody else has committed these for the other side."""
    is_awaited: bool = False
    """Whether something is to come from the other side at any moment."""
    taken: frozenset[QueueRef] = frozenset()
    """Those of `move` that nobody else is there to give to that side."""


def read_commit(offset: int, said: str) -> LastCommit:
    """Read a commit; a program that knows no sides commits for Kafka's."""
    side, _, rest = said.partition(":")
    token, _, _ = rest.partition(":")
    known = side in SIDES and token.isdigit()
    return LastCommit(
        "trimtab" if side == "trimtab" else "kafka",
        int(token) if known else 0,
        offset if offset >= 0 else None,
    )


def given_to(side: Side, token: int) -> str:
    """What a commit says that gives a queue to a side.

    It says where the token ends, because confluent-kafka may read on behind what was said.
    """
    return f"{side}:{token}:"


def planned(
    owned: Mapping[Side, Collection[QueueRef]],
    working: Mapping[QueueRef, Side],
    commits: Mapping[QueueRef, LastCommit],
    wanted: Side | None,
    gone: Collection[QueueRef] = (),
) -> Plan:
    """Say what an owner has to do; without a wanted side everything stays on its side.

    Of those that are ``gone`` there is no owner on the other side.
    """
    begin, move, lose, is_awaited = dict[QueueRef, Side](), dict[QueueRef, Side](), set(), False
    taken = set()
    for queue, last in commits.items():
        side, at_work = last.side, working.get(queue)
        if at_work not in (None, side):
            lose.add(queue)
        elif queue in owned[side]:
            if wanted not in (None, side) and last.offset is not None:
                move[queue] = wanted
            elif at_work is None:
                begin[queue] = side
        elif wanted not in (None, side) and queue in owned[wanted]:
            if queue in gone:
                move[queue] = wanted
                taken.add(queue)
            else:
                is_awaited = True
    return Plan(begin, move, frozenset(lose), is_awaited, frozenset(taken))
