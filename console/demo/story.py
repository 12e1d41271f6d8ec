"""What happens in the demo, and what must come of each step. Pure: a list.

Each step is an act (somebody joins, leaves, is killed), a condition that says when the group has
come to rest again, and a claim: what must hold once it has. ``play`` asks the condition until it is
met, and gives up loudly after the step's patience.
"""

from dataclasses import dataclass

from console.demo.acts import CONTROLLER, PRODUCER, Act, Kill, Start, Stop
from console.demo.conditions import (
    Condition,
    both,
    controller_back,
    drained,
    flowing,
    left,
    nothing_moved,
    one_owner_each,
    shared,
)

_START_PATIENCE_S = 300.0
"""Spark starts in 10 to 15 s on two idle cores; on a machine that builds and tests besides, it has
taken two hundred."""
_STEP_PATIENCE_S = 120.0
"""The slowest step, an expiry, takes the session timeout of 6 s and a batch; likewise."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the story."""

    title: str
    shows: str
    acts: tuple[Act, ...]
    until: Condition
    claim: Condition = one_owner_each
    patience_s: float = _STEP_PATIENCE_S
    flows: bool = True
    """Whether messages are to flow on after it."""


def tell(members: int, queues: int) -> tuple[Step, ...]:
    """The story for so many members at the start; at least three, since two of them go."""
    names = [f"worker-{number}" for number in range(1, members + 3)]
    first, fifth, sixth = names[:-2], names[-2], names[-1]
    leaver, victim = first[1], first[2]
    survivors = {*first, fifth} - {leaver, victim}
    return (
        *_members_change(first, fifth, leaver, victim, queues),
        *_controller_fails(survivors, sixth, queues),
        Step(
            "the producer stops",
            "the last messages are processed, and the books are closed",
            (Stop(PRODUCER),),
            both(left(PRODUCER), drained),
            flows=False,
        ),
    )


def _members_change(
    first: list[str], fifth: str, leaver: str, victim: str, queues: int
) -> tuple[Step, ...]:
    """Members join, leave and die."""
    together = {*first, fifth}
    return (
        Step(
            f"{len(first)} members join",
            f"the controller shares out {queues} queues, one owner each",
            (Start((CONTROLLER, PRODUCER, *first)),),
            shared(set(first), queues),
            patience_s=_START_PATIENCE_S,
        ),
        Step(
            f"{fifth} joins",
            "holders let go of its share, and it starts on their release",
            (Start((fifth,)),),
            shared(together, queues),
        ),
        Step(
            f"{leaver} leaves",
            "it works on until its heirs have taken over, then it goes",
            (Stop(leaver),),
            both(left(leaver), shared(together - {leaver}, queues)),
        ),
        Step(
            f"{victim} is killed (SIGKILL)",
            "its beats stop, its session expires, its queues move on",
            (Kill(victim),),
            shared(together - {leaver, victim}, queues),
        ),
    )


def _controller_fails(members: set[str], newcomer: str, queues: int) -> tuple[Step, ...]:
    """The controller dies and returns, and the members hardly notice."""
    return (
        Step(
            "the controller is killed (SIGKILL)",
            "members keep what they have and work on",
            (Kill(CONTROLLER),),
            flowing,
            nothing_moved,
        ),
        Step(
            "the controller returns",
            "it reads on where it was, and nothing moves without cause",
            (Start((CONTROLLER,)),),
            controller_back,
            nothing_moved,
            patience_s=_START_PATIENCE_S,
        ),
        Step(
            f"{newcomer} joins",
            "the returned controller decides as before",
            (Start((newcomer,)),),
            shared({*members, newcomer}, queues),
        ),
    )
