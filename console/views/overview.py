"""Overview: all groups and the controller in two lines, and which group comes first.

Called by `trimtab top`. Trouble comes first, then what moves, then what rests; within each the
groups with the most queues concerned.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TypedDict

from console.briefs import Brief
from console.views.moments import ago, said
from console.views.sentences import number, several
from trimtab.protocol import Group, Tick

_ORDER = ("starved", "assigning", "reconciling", "stable", "empty", "dead")


class Ticking(TypedDict):
    """Which controller ticks, when it did last, and how many ticks wait to be read."""

    name: str
    at: str | None
    age_ms: int
    behind: int
    silent: list[int]
    """The partitions in which none comes, though one does in others."""


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


def tick(
    ticks: Mapping[int, tuple[int, Tick]], silent: Collection[int], now_ms: int
) -> Ticking | None:
    """Describe each partition's last tick in one: whose, how old, how far its reader is behind.

    None: no controller has ticked.
    """
    if not ticks:
        return None
    at_ms, newest = max(ticks.values(), key=lambda it: it[0])
    behind = max(it.number - (it.seen or 0) for _, it in ticks.values())
    age_ms = max(0, now_ms - at_ms)
    return {
        "name": newest.controller,
        "at": said(at_ms),
        "age_ms": age_ms,
        "behind": behind,
        "silent": sorted(silent),
    }


def controller(ticks: Mapping[int, tuple[int, Tick]], silent: Collection[int], now_ms: int) -> str:
    """Say whether a controller lives and how far behind it is.

    When its last tick was is said as well: a clock here that is slow makes every tick young.
    """
    last = tick(ticks, silent, now_ms)
    if last is None:
        return "controller: no tick in the last minute, by the clock here"
    age = f"last tick {ago(last['age_ms'])} ago ({last['at']})"
    where = f"; none in partitions {several(map(str, last['silent']))}" if silent else ""
    return f"controller: {last['name']}, {age}, {last['behind']} ticks behind{where}"


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
        f"{number(of['groups'], 'group')} ({told or 'none'}), "
        f"{number(of['members'], 'member')}; queues: "
        f"{of['assigned']} assigned, {of['moving']} moving, {of['unassigned']} unassigned"
    )
