"""Overview: all groups and the controller in two lines, and which group comes first.

Called by `trimtab top`. Trouble comes first, then what moves, then what rests; within each the
groups with the most queues concerned.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypedDict

from console.briefs import Brief
from console.views.moments import ago
from trimtab.protocol import Group, Tick

_ORDER = ("starved", "assigning", "reconciling", "stable", "empty", "dead")


class Ticking(TypedDict):
    """Which controller ticks, how old its last tick is, and how many wait to be read."""

    name: str
    age_ms: int
    behind: int


class Sums(TypedDict):
    """How many groups are in which state, and how many members and queues there are."""

    groups: int
    states: dict[str, int]
    members: int
    assigned: int
    moving: int
    unassigned: int


def urgency(group: Group | Brief) -> tuple[bool, int, int, str]:
    """Return what to sort groups by."""
    queues = group.queues
    concerned = queues.unassigned + queues.moving
    return (group.ailment is None, _ORDER.index(group.state), -concerned, group.group)


def tick(ticks: Mapping[int, tuple[int, Tick]], now_ms: int) -> Ticking | None:
    """Describe each partition's last tick in one: whose, how old, how far its reader is behind.

    None: no controller has ticked.
    """
    if not ticks:
        return None
    at_ms, newest = max(ticks.values(), key=lambda it: it[0])
    behind = max(it.number - (it.seen or 0) for _, it in ticks.values())
    return {"name": newest.controller, "age_ms": max(0, now_ms - at_ms), "behind": behind}


def controller(ticks: Mapping[int, tuple[int, Tick]], now_ms: int) -> str:
    """Say whether a controller lives and how far behind it is."""
    last = tick(ticks, now_ms)
    if last is None:
        return "controller: no tick in the last minute"
    age = ago(last["age_ms"])
    return f"controller: {last['name']}, last tick {age} ago, {last['behind']} ticks behind"


def counts(groups: Sequence[Group | Brief]) -> Sums:
    """Count the groups of each state, and all members and queues."""
    states = Counter[str](it.state for it in groups)
    queues = [it.queues for it in groups]
    return {
        "groups": len(groups),
        "states": {state: states[state] for state in _ORDER if states[state]},
        "members": sum(it.members for it in groups),
        "assigned": sum(it.assigned for it in queues),
        "moving": sum(it.moving for it in queues),
        "unassigned": sum(it.unassigned for it in queues),
    }


def sums(groups: Sequence[Group | Brief]) -> str:
    """Say how many groups are in which state, and how many members and queues there are."""
    of = counts(groups)
    told = ", ".join(f"{count} {state}" for state, count in of["states"].items())
    return (
        f"{of['groups']} groups ({told or 'none'}), {of['members']} members; queues: "
        f"{of['assigned']} assigned, {of['moving']} moving, {of['unassigned']} unassigned"
    )
