"""What happens in the demo, and what must come of each step. Pure: a list, and conditions.

Each step is an act (somebody joins, leaves, is killed), a condition that says when the group has
come to rest again, and a claim: what must hold once it has. Nothing waits for a length of time:
``play`` asks the condition until it is met, and gives up loudly after the step's patience.

A condition looks at the scene and answers with what is still missing, in words; None means met.
So a step that fails can say why.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from console.demo.board import Board
from console.demo.ledger import Ledger

FLOW = 50
"""Messages that every member must process after a step before the next begins: about a second at
200 messages a second and four members. It proves that work goes on, and lets people read."""

_START_PATIENCE_S = 120.0
"""Spark starts in 10 to 15 s on two idle cores; a loaded machine may take several times that."""
_STEP_PATIENCE_S = 60.0
"""The slowest step, an expiry, takes the session timeout of 6 s and a batch."""


@dataclass(frozen=True, slots=True)
class StartMembers:
    """New members join."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StopMember:
    """SIGTERM: a member leaves in good order."""

    name: str


@dataclass(frozen=True, slots=True)
class KillMember:
    """SIGKILL: a member is gone without a word."""

    name: str


@dataclass(frozen=True, slots=True)
class StartController:
    """The controller starts, from its checkpoint if there is one."""


@dataclass(frozen=True, slots=True)
class KillController:
    """SIGKILL for the controller."""


@dataclass(frozen=True, slots=True)
class StopProducer:
    """No more messages."""


Act = StartMembers | StopMember | KillMember | StartController | KillController | StopProducer


@dataclass(frozen=True, slots=True)
class Mark:
    """What things were like at a moment."""

    at: int
    processed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a condition may look at."""

    ledger: Ledger
    board: Board
    exits: Mapping[str, int]
    """Exit codes of the members that have ended."""
    controller_up: bool
    since: Mark
    """The beginning of the step, or of the wait for the flow after it."""


Condition = Callable[[Scene], str | None]


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
            (StartController(), StartMembers(first)),
            shared(set(first), queues),
            one_owner_each,
            patience_s=_START_PATIENCE_S,
        ),
        Step(
            f"{fifth} joins",
            "holders let go of its share, and it starts on their release",
            (StartMembers((fifth,)),),
            shared(with_fifth, queues),
            one_owner_each,
        ),
        Step(
            f"{leaver} leaves",
            "it works on until its heirs have taken over, then it goes",
            (StopMember(leaver),),
            both(left(leaver), shared(without_leaver, queues)),
            one_owner_each,
        ),
        Step(
            f"{victim} is killed (SIGKILL)",
            "its beats stop, its session expires, its queues move on",
            (KillMember(victim),),
            shared(survivors, queues),
            one_owner_each,
        ),
        Step(
            "the controller is killed (SIGKILL)",
            "members keep what they have and work on",
            (KillController(),),
            flowing,
            nothing_moved,
        ),
        Step(
            "the controller returns",
            "it reads on where it was, and nothing moves without cause",
            (StartController(),),
            controller_back,
            nothing_moved,
            patience_s=_START_PATIENCE_S,
        ),
        Step(
            f"{sixth} joins",
            "the returned controller decides as before",
            (StartMembers((sixth,)),),
            shared({*survivors, sixth}, queues),
            one_owner_each,
        ),
        Step(
            "the producer stops",
            "the last messages are processed, and the books are closed",
            (StopProducer(),),
            drained,
            one_owner_each,
            flows=False,
        ),
    )


def shared(members: set[str], queues: int) -> Condition:
    """Every queue has one owner, shares differ by one at most, and the controller agrees."""

    def missing(scene: Scene) -> str | None:
        owners = scene.ledger.owners()
        shares = Counter(name for names in owners.values() for name in names)
        owned = sum(len(names) == 1 for names in owners.values())
        if owned < queues:
            return f"{owned} of {queues} queues have one owner"
        if shares.keys() != members:
            return f"{_names(shares.keys())} have queues, and should be {_names(members)}"
        if max(shares.values()) - min(shares.values()) > 1:
            return f"shares are uneven: {dict(sorted(shares.items()))}"
        if not scene.board.is_stable(len(members)):
            return f"the controller does not call the group of {len(members)} stable"
        return None

    return missing


def both(one: Condition, other: Condition) -> Condition:
    """The first, and then the second."""

    def missing(scene: Scene) -> str | None:
        return one(scene) or other(scene)

    return missing


def left(member: str) -> Condition:
    """The member has ended of its own accord."""

    def missing(scene: Scene) -> str | None:
        return None if scene.exits.get(member) == 0 else f"{member} has not ended"

    return missing


def flowing(scene: Scene) -> str | None:
    """Everybody who owns queues gets through messages."""
    owners = {name for names in scene.ledger.owners().values() for name in names}
    slow = {
        name
        for name in owners
        if scene.ledger.processed[name] - scene.since.processed.get(name, 0) < FLOW
    }
    return f"{_names(slow)} have not processed {FLOW} messages" if slow else None


def controller_back(scene: Scene) -> str | None:
    """The controller says that it is ready."""
    return None if scene.controller_up else "the controller is not ready"


def drained(scene: Scene) -> str | None:
    """Every message that was produced has been processed."""
    late = scene.ledger.outstanding()
    return f"{late} messages have not been processed" if late else None


def one_owner_each(scene: Scene) -> str | None:
    """No queue has ever had two owners at once, and nobody worked on what was not theirs."""
    overlaps = scene.ledger.overlaps()
    if overlaps:
        first = overlaps[0]
        return f"{' and '.join(first.members)} owned queue {first.queue} at once"
    if scene.ledger.strays:
        return f"{scene.ledger.strays} messages were processed by members without the queue"
    return None


def nothing_moved(scene: Scene) -> str | None:
    """No queue has changed hands since the step began."""
    moved = sorted(
        {
            tenure.queue
            for tenures in scene.ledger.tenures.values()
            for tenure in tenures
            if max(tenure.start, tenure.stop or 0) >= scene.since.at
        }
    )
    return f"queues {moved} moved" if moved else one_owner_each(scene)


def _names(members: Iterable[str]) -> str:
    return ", ".join(sorted(members)) or "nobody"
