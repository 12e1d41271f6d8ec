"""The plan of paces: how often members should beat, and which groups have to be asked for it.

All members that leave it to the controller get one interval: the shortest of a few steps at which
their beats, with those of groups that have an interval of their own, stay within the budget. When
there are more members it is longer at once. It gets shorter again when the load has been a fifth
below the budget for a minute. Nobody is asked for anything before all summaries have been read: a
part of them, or older ones that Kafka has not removed yet, show another load.

What a group was asked for, its summary shows; so a controller that starts asks only those that are
behind, and what was lost is said again. Not all are asked at once: every member of a group that is
asked gets a record.

Called by ``pacing``, told of summaries by ``routes``. Its one rule: it knows no clock.
"""

from collections.abc import Iterator
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

from trimtab.protocol import Group

_STEPS: Final = (2, 3, 4, 6, 8, 12, 16, 24, 32, 40)
"""In halves of the shortest interval: by a half to a third at a time, so that few are needed. The
last is a minute where members beat every 3 s: a session of four is a crash that rests long."""
_CALM_S: Final = 60.0
"""For so long the load must be lower before members are asked to beat more often."""
_SLACK: Final = 0.8
"""And so much lower, or the next member that joins would turn it round."""
_LEAST_SHARE: Final = 0.1
"""Of the budget, however much others use that have an interval of their own."""
MEMBERS_AT_ONCE: Final = 2_000
"""That are asked in a second: their records are a few megabytes."""
_PATIENCE_S: Final = 15.0
"""How long a group's summary may take to show it, doubled each time: a batch of a busy start."""
_DOUBLINGS: Final = 4


class _Known(NamedTuple):
    """What is known of a group."""

    members: int
    pace_ms: int
    """0: as often as the policy says."""
    own_ms: int | None
    """The interval that it has by command."""
    ails: bool


class _Asked(NamedTuple):
    """What a group was last asked for."""

    pace_ms: int
    at: float
    times: int

    def is_in_vain(self, pace_ms: int, now: float) -> bool:
        """Tell whether it was for something else, or for so long that it may be lost."""
        patience = _PATIENCE_S * 2 ** min(self.times, _DOUBLINGS)
        return self.pace_ms != pace_ms or now - self.at >= patience


class Asking(NamedTuple):
    """A group that is to be asked."""

    group: str
    interval_ms: int


class PacePlan:
    """Keeps the plan; summaries come from another thread than questions."""

    def __init__(self, least_ms: int, most_ms: int, budget: int) -> None:
        self._least_ms, self._budget = least_ms, budget
        steps = [least_ms * halves // 2 for halves in _STEPS]
        self._steps = [it for it in steps if it <= most_ms] or [least_ms]
        self._lock = Lock()
        self._known: dict[str, _Known] = {}
        self._asked: dict[str, _Asked] = {}
        self._behind: dict[str, None] = {}
        self._members, self._fixed = 0, 0.0
        self._knows_all = False
        self._busy_at: float | None = None
        self.interval_ms = least_ms
        """Of all members that leave it to the controller."""

    def know_all(self) -> None:
        """Begin: the summaries of all groups have been read."""
        self._knows_all = True

    def note(self, group: Group) -> None:
        """Take a summary. A group for which something fails is not asked: it would fail again."""
        own = None if group.overrides is None else group.overrides.heartbeat_interval_ms
        with self._lock:
            self._count(group.group, -1)
            ails = group.ailment is not None
            self._known[group.group] = _Known(group.members, group.pace_ms or 0, own, ails)
            self._count(group.group, 1)
            self._compare(group.group)

    def gone(self, group: str) -> None:
        """Forget a group whose summary was withdrawn."""
        with self._lock:
            self._count(group, -1)
            for of_groups in (self._known, self._asked, self._behind):
                of_groups.pop(group, None)

    @property
    def reason(self) -> str:
        """Say why members beat as often as they do."""
        return f"{self._members} members, and {self._budget} beats a second"

    def due(self, now: float) -> list[Asking]:
        """Return whom to ask now; they count as asked."""
        if not self._knows_all:
            return []
        with self._lock:
            self._choose(now)
            due, members = [], 0
            for group in [*self._due(now)]:
                due.append(Asking(group, self.interval_ms))
                self._note_asked(group, now)
                members += self._known[group].members
                if members >= MEMBERS_AT_ONCE:
                    break
            return due

    def _note_asked(self, group: str, now: float) -> None:
        before, times = self._asked.get(group), 0
        if before is not None and before.pace_ms == self.interval_ms:
            times = before.times + 1
        self._asked[group] = _Asked(self.interval_ms, now, times)
        self._behind[group] = self._behind.pop(group)  # the others come first next time

    def _due(self, now: float) -> Iterator[str]:
        for group in islice(self._behind, MEMBERS_AT_ONCE):
            asked = self._asked.get(group)
            if asked is None or asked.is_in_vain(self.interval_ms, now):
                yield group

    def _choose(self, now: float) -> None:
        """Choose the interval: a longer one at once, a shorter one when the load stays lower."""
        need = self._step_for(1.0)
        if self._busy_at is None or need >= self.interval_ms:
            self._busy_at = now
        elif (need := self._step_for(_SLACK)) >= self.interval_ms:
            self._busy_at = now
            return
        elif now - self._busy_at < _CALM_S:
            return
        if need != self.interval_ms:
            self.interval_ms = need
            self._behind.clear()
            for group in self._known:
                self._compare(group)

    def _step_for(self, share: float) -> int:
        """Return the shortest interval at which no more than a share of the budget is used."""
        room = max(self._budget * share - self._fixed, self._budget * _LEAST_SHARE)
        least = 1000 * self._members / room
        return next((it for it in self._steps if it >= least), self._steps[-1])

    def _compare(self, group: str) -> None:
        """Note whether a group's members beat as often as they should."""
        known = self._known[group]
        is_so = max(known.pace_ms, self._least_ms) == self.interval_ms
        if known.own_ms is not None or known.ails or not known.members or is_so:
            self._behind.pop(group, None)
        else:
            self._behind[group] = None

    def _count(self, group: str, change: int) -> None:
        known = self._known.get(group)
        if known is None:
            return
        if known.own_ms is None:
            self._members += change * known.members
        else:
            self._fixed += change * 1000 * known.members / known.own_ms
