"""When a step of the story is over, and what must hold then. Pure.

A condition looks at the scene and answers with what is still missing, in words; None means met. So
nothing waits for a length of time, and a step that fails can say why.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from console.demo.board import Board
from console.demo.totals import Totals

FLOW = 50
"""Messages that every member must process after a step before the next begins: about a second at
200 messages a second and four members. It proves that work goes on, and lets people read."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What things were like at a moment."""

    at: int
    processed: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a condition may look at."""

    totals: Totals
    board: Board
    exits: Mapping[str, int]
    """Exit codes of the processes that have ended."""
    controller_up: bool
    since: Mark
    """The beginning of the step, or of the wait for the flow after it."""


Condition = Callable[[Scene], str | None]


def shared(members: set[str], queues: int) -> Condition:
    """Every queue has one owner, shares differ by one at most, and the controller agrees."""

    def missing(scene: Scene) -> str | None:
        owners = scene.totals.owners()
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


def left(process: str) -> Condition:
    """The process has ended of its own accord."""

    def missing(scene: Scene) -> str | None:
        return None if scene.exits.get(process) == 0 else f"{process} has not ended"

    return missing


def flowing(scene: Scene) -> str | None:
    """Each member that owns queues processes messages."""
    owners = {name for names in scene.totals.owners().values() for name in names}
    slow = {
        name
        for name in owners
        if scene.totals.processed[name] - scene.since.processed.get(name, 0) < FLOW
    }
    return f"{_names(slow)} have not processed {FLOW} messages" if slow else None


def controller_back(scene: Scene) -> str | None:
    """The controller says that it is ready."""
    return None if scene.controller_up else "the controller is not ready"


def drained(scene: Scene) -> str | None:
    """Every message that was produced has been processed."""
    late = scene.totals.outstanding()
    return f"{late} messages have not been processed" if late else None


def one_owner_each(scene: Scene) -> str | None:
    """No queue has ever had two owners at once, and no member worked on another's queue."""
    overlaps = scene.totals.overlaps()
    if overlaps:
        first = overlaps[0]
        return f"{' and '.join(first.members)} owned queue {first.queue} at once"
    if scene.totals.strays:
        return f"{scene.totals.strays} messages were processed by members without the queue"
    return None


def nothing_moved(scene: Scene) -> str | None:
    """No queue has changed hands since the step began."""
    moved = sorted(
        {
            tenure.queue
            for tenures in scene.totals.tenures.values()
            for tenure in tenures
            if max(tenure.start, tenure.stop or 0) >= scene.since.at
        }
    )
    return f"queues {moved} moved" if moved else one_owner_each(scene)


def _names(members: Iterable[str]) -> str:
    return ", ".join(sorted(members)) or "no member"
