"""Sides: which of its two owners works on a queue of a group that moves, and what each has to do.

Pure; used by `mover`. Its one rule: nobody begins before the queue's last commit names its side.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from trimtab.consuming.offsets import token_in
from trimtab.protocol import QueueRef

Side = Literal["kafka", "trimtab"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)
Others = Literal["can", "could", "cannot", "unknown"]
"""Whether all in Kafka's group can move: as of this moment, as far as was heard, or not."""
Asking = Literal["now", "later", "never"]
"""When that counts."""


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
    return LastCommit(
        "trimtab" if side == "trimtab" else "kafka",
        token_in(rest) if side in SIDES else 0,
        offset if offset >= 0 else None,
    )


def given_to(side: Side, token: int) -> str:
    """What a commit says that gives a queue to a side.

    It says where the token ends, because confluent-kafka may read on behind what was said.
    """
    return f"{side}:{token}:"


def asks_who_can(commits: Mapping[QueueRef, LastCommit], wanted: Side | None) -> Asking:
    """Tell when it counts for the plan who in Kafka's group can move.

    It is asked before a queue is to begin on trimtab's side, so that nothing waits for it then.
    """
    lasts = commits.values()
    if wanted == "trimtab" and any(it.side == "kafka" and it.offset is not None for it in lasts):
        return "now"
    is_there = wanted is None and any(it.side == "trimtab" for it in lasts)
    return "later" if wanted == "trimtab" or is_there else "never"


def planned(
    owned: Mapping[Side, Collection[QueueRef]],
    working: Mapping[QueueRef, Side],
    commits: Mapping[QueueRef, LastCommit],
    wanted: Side | None,
    gone: Collection[QueueRef] = (),
    *,
    others: Others,
) -> Plan:
    """Say what an owner has to do; without a wanted side everything stays on its side.

    Only if everybody in Kafka's group can move, anything goes over to trimtab's side, or begins
    there; to begin, that it was so when it was heard last will do. What rests there beside one that
    cannot goes to Kafka's: that one may be its owner there, and has not committed since. Of those
    that are ``gone`` there is no owner on the other side.
    """
    begin, move, lose, is_awaited = dict[QueueRef, Side](), dict[QueueRef, Side](), set(), False
    taken = set()
    for queue, last in commits.items():
        side, at_work = last.side, working.get(queue)
        rests = at_work is None and queue in owned[side]
        goal = _goal(side, wanted, others, rests=rests)
        if at_work not in (None, side):
            lose.add(queue)
        elif queue in owned[side] and goal != side and last.offset is not None:
            move[queue] = goal
        elif rests:
            if side == "kafka" or others in ("can", "could"):
                begin[queue] = side
        elif goal != side and queue in owned[goal]:
            if queue in gone:
                move[queue] = goal
                taken.add(queue)
            else:
                is_awaited = True
    return Plan(begin, move, frozenset(lose), is_awaited, frozenset(taken))


def _goal(side: Side, wanted: Side | None, others: Others, *, rests: bool) -> Side:
    """Say where a queue is to be, of which this is the side."""
    if side == "trimtab" and rests and others == "cannot":
        return "kafka"
    return wanted or side if side == "trimtab" or others == "can" else side
