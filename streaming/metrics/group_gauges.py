"""The gauges of groups: what each group's last summary says.

The route watcher reads every summary anyway, from the first, so a controller that starts knows all
groups at once. A group without members keeps one series, of no active member, until others need the
room: in years there are very many names that were used once. One whose summary is withdrawn loses
all.

Used by ``routes``.
"""

from collections import Counter
from typing import Final, NamedTuple

from streaming.metrics.catalogue import Metrics
from trimtab.protocol import Group

_STATES: Final = ("empty", "assigning", "reconciling", "starved", "stable", "dead")
_MEMBER_STATES: Final = ("draining", "away", "held", "resting", "standby")
_QUEUE_STATES: Final = ("assigned", "moving", "unassigned")
ACTIVE: Final = "active"


class Totals(NamedTuple):
    """All groups together."""

    groups: int
    members: int
    queues: int
    unassigned: int
    """Queues without a holder."""


class _Known(NamedTuple):
    """What is known of a group."""

    state: str
    members: int
    queues: int
    unassigned: int
    is_ailing: bool
    is_unnamed: bool
    """Whether it has queues without a worker, also while others move, and no series of them."""


class GroupGauges:
    """Keeps the gauges of groups."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._known: dict[str, _Known] = {}
        self._empty: dict[str, None] = {}
        """Those without members that have a series, the oldest first."""
        self._states = Counter[str]()
        self._ailing = self._unnamed = 0
        for state in _STATES:
            metrics.groups.groups.set(0, state)
        metrics.groups.ailing.set(0)
        metrics.groups.unnamed.set(0)

    def note(self, group: Group) -> None:
        """Take a summary."""
        queues = group.queues
        total = queues.assigned + queues.moving + queues.unassigned
        with self._metrics.lock:
            self._count(group.group, -1)
            self._forget(group.group)
            self._show(group, total)
            self._known[group.group] = _Known(
                group.state,
                group.members,
                total,
                queues.unassigned,
                bool(group.ailment),
                queues.unassigned > 0 and not self._has_series(group.group),
            )
            self._count(group.group, 1)

    def gone(self, group: str) -> None:
        """Forget a group whose summary was withdrawn."""
        with self._metrics.lock:
            self._count(group, -1)
            self._known.pop(group, None)
            self._forget(group)

    def totals(self) -> Totals:
        """Return the sums of all groups."""
        with self._metrics.lock:
            known = [*self._known.values()]
        return Totals(
            groups=len(known),
            members=sum(it.members for it in known),
            queues=sum(it.queues for it in known),
            unassigned=sum(it.unassigned for it in known),
        )

    def _show(self, group: Group, queues: int) -> None:
        """Set what its summary says; of a group that nobody works in next to nothing."""
        name, gauges = group.group, self._metrics.groups
        if not group.members and not queues:
            self._empty[name] = None
            gauges.members.set(0, name, ACTIVE)
            return
        while self._empty and not gauges.members.has_room(len(_MEMBER_STATES) + 1):
            self._forget(next(iter(self._empty)))
        gauges.epoch.set(group.epoch, name)
        for state in _QUEUE_STATES:
            gauges.queues.set(getattr(group.queues, state), name, state)
        for state, count in _members(group).items():
            gauges.members.set(count, name, state)
        gauges.imbalance.set(_imbalance(group), name)
        if group.paused:
            gauges.paused.set(1, name)

    def _has_series(self, group: str) -> bool:
        return self._metrics.groups.queues.has(group, _QUEUE_STATES[-1])

    def _forget(self, group: str) -> None:
        """Drop all series of a group."""
        self._empty.pop(group, None)
        gauges = self._metrics.groups
        gauges.epoch.drop(group)
        gauges.imbalance.drop(group)
        gauges.paused.drop(group)
        for state in _QUEUE_STATES:
            gauges.queues.drop(group, state)
        for state in (ACTIVE, *_MEMBER_STATES):
            gauges.members.drop(group, state)

    def _count(self, group: str, change: int) -> None:
        if group in self._known:
            known, gauges = self._known[group], self._metrics.groups
            self._states[known.state] += change
            gauges.groups.set(self._states[known.state], known.state)
            self._ailing += change * known.is_ailing
            gauges.ailing.set(self._ailing)
            self._unnamed += change * known.is_unnamed
            gauges.unnamed.set(self._unnamed)


def _members(group: Group) -> dict[str, int]:
    """Count each member by one state; beyond those that a summary names all count as active."""
    counts = dict.fromkeys(_MEMBER_STATES, 0)
    for it in group.people:
        state = next((state for state in _MEMBER_STATES if getattr(it, state)), None)
        if state is not None:
            counts[state] += 1
    return {ACTIVE: max(0, group.members - sum(counts.values())), **counts}


def _imbalance(group: Group) -> float:
    holds = [it.hold for it in group.people]
    return max(holds) * len(holds) / sum(holds) if any(holds) else 0.0
