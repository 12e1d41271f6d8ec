"""Overview: all groups and the controller in two lines, and which group comes first.

Called by `trimtab top`. Trouble comes first, then what moves, then what rests; within each the
groups with the most queues concerned.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from console.briefs import Brief
from console.views.moments import ago
from trimtab.protocol import Group, Tick

_ORDER = ("starved", "assigning", "reconciling", "stable", "empty", "dead")


def urgency(group: Group | Brief) -> tuple[bool, int, int, str]:
    """Return what to sort groups by."""
    queues = group.queues
    concerned = queues.unassigned + queues.moving
    return (group.ailment is None, _ORDER.index(group.state), -concerned, group.group)


def controller(ticks: Mapping[int, tuple[int, Tick]], now_ms: int) -> str:
    """Say whether a controller lives and how far behind it is, by each partition's last tick."""
    if not ticks:
        return "controller: no tick in the last minute"
    at_ms, newest = max(ticks.values(), key=lambda it: it[0])
    behind = max(tick.number - (tick.seen or 0) for _, tick in ticks.values())
    age = ago(now_ms - at_ms)
    return f"controller: {newest.controller}, last tick {age} ago, {behind} ticks behind"


def sums(groups: Sequence[Group | Brief]) -> str:
    """Say how many groups are in which state, and how many members and queues there are."""
    states = Counter[str](it.state for it in groups)
    told = ", ".join(f"{states[state]} {state}" for state in _ORDER if states[state])
    members, queues = sum(it.members for it in groups), [it.queues for it in groups]
    return (
        f"{len(groups)} groups ({told or 'none'}), {members} members; queues: "
        f"{sum(it.assigned for it in queues)} assigned, {sum(it.moving for it in queues)} moving, "
        f"{sum(it.unassigned for it in queues)} unassigned"
    )
