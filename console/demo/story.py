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
    claim: Condition
    patience_s: float = _STEP_PATIENCE_S
    flows: bool = True
    """Whether messages are to flow on after it."""


def tell(members: int, queues: int) -> tuple[Step, ...]:
    """The story for so many members at the start; at least three, since two of them go."""
    first = tuple(f"worker-{number}" for number in range(1, members + 1))
    fifth, sixth = f"worker-{members + 1}", f"worker-{members + 2}"
    leaver, victim = first[1], first[2]
    with_fifth = {*first, fifth}
    without_leaver = with_fifth - {leaver}
    survivors = without_leaver - {victim}
    return (
        Step(
            f"{members} members join",
            f"the controller shares out {queues} queues, one owner each",
            (Start((CONTROLLER, PRODUCER, *first)),),
            shared(set(first), queues),
            one_owner_each,
            patience_s=_START_PATIENCE_S,
        ),
        Step(
            f"{fifth} joins",
            "holders let go of its share, and it starts on their release",
            (Start((fifth,)),),
            shared(with_fifth, queues),
            one_owner_each,
        ),
        Step(
            f"{leaver} leaves",
            "it works on until its heirs have taken over, then it goes",
            (Stop(leaver),),
            both(left(leaver), shared(without_leaver, queues)),
            one_owner_each,
        ),
        Step(
            f"{victim} is killed (SIGKILL)",
            "its beats stop, its session expires, its queues move on",
            (Kill(victim),),
            shared(survivors, queues),
            one_owner_each,
        ),
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
            f"{sixth} joins",
            "the returned controller decides as before",
            (Start((sixth,)),),
            shared({*survivors, sixth}, queues),
            one_owner_each,
        ),
        Step(
            "the producer stops",
            "the last messages are processed, and the books are closed",
            (Stop(PRODUCER),),
            both(left(PRODUCER), drained),
            one_owner_each,
            flows=False,
        ),
    )
