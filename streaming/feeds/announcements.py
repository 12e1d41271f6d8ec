"""Announcements: what was said to a group about a topic, and when it is said again.

A group's summary shows what its brain knows. What it does not show yet may be lost, or the
controller may be busy with one batch for minutes, and then repeating it makes it only busier. So it
is repeated on a sign of loss: Kafka did not take it; or the group has published a summary since
that does not show it, in twice the time that the summary took. Without a sign it is repeated after
a minute, and ever more rarely. A loss of queues is always said twice: a large one is not believed
before (D6).

A brain ignores the route of a topic that it is not asked for. What was said before a summary showed
that it is asked may have been read too early, so it is said once more as soon as one does.

Used by ``route_plan``.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from rebalance.groups.model.route import NO_ID
from trimtab.protocol import RackRef, RunRef, TopicSummary

PATIENCE_S: Final = 10.0
"""How long at least an announcement may take to show, once the group has published a summary after
it, or Kafka did not take it: a batch of a busy controller. Doubled each time."""
PATIENCE_MAX_S: Final = 120.0
SILENCE_S: Final = 60.0
"""How long nothing may come of an announcement, before it is said again without any sign that it
was lost. Doubled each time."""
SILENCE_MAX_S: Final = 3_600.0
_DOUBLINGS: Final = 10
"""More than either limit is away from where it begins."""
LOSS_S: Final = 2.0
"""After this a loss is said the second time: a large one is not believed before (D6)."""


NEVER_LOOKED: Final = TopicSummary(version=0, queues=0, awaited=True)


class Seen(NamedTuple):
    """What a topic is like; None: it does not exist."""

    runs: tuple[RunRef, ...] | None
    generation: str | None = None
    """Which topic of that name, where that can be told."""
    by_hearsay: bool = False
    """It may be another source's topic: one that the controller is told of no more, or a route file
    that cannot be read."""

    racks: tuple[RackRef, ...] | None = None
    """Where replicas of its queues stand; None: nobody can tell, or is to."""

    @property
    def queues(self) -> int:
        """How many queues it has."""
        return sum(run.length for run in self.runs or ())


@dataclass(slots=True)
class Sent:
    """The last announcement of a topic to a group."""

    seen: Seen
    version: int
    at: float
    times: int = 1
    pace: float | None = None
    """How long the group's next summary took that did not show it; None: there was none yet."""
    asked: bool = True
    """A summary showed that the group asks for the topic, or that it has read this: its brain does
    not ignore it."""

    def counts(self, seen: Seen, *, asked: bool) -> bool:
        """Tell whether it said this, and not only before the group was known to ask."""
        return self.seen == seen and self.asked >= asked

    def answered(self, now: float) -> None:
        """Take note of a summary that does not show it."""
        if self.pace is None:
            self.pace = now - self.at

    def failed(self, now: float) -> None:
        """Take note that Kafka did not take it."""
        self.at, self.pace = now, 0.0

    def hurry(self, now: float) -> None:
        """Have it said again at once."""
        self.at, self.pace = now - PATIENCE_MAX_S, 0.0

    def next_at(self) -> float:
        """Return when it is said again, if it does not show until then."""
        doubled = 2.0 ** min(self.times - 1, _DOUBLINGS)
        if self.pace is None:
            return self.at + min(SILENCE_S * doubled, SILENCE_MAX_S)
        patience = max(PATIENCE_S, 2 * self.pace) * doubled
        return self.at + self.pace + min(patience, PATIENCE_MAX_S)


def settled(seen: Seen, known: TopicSummary, sent: Sent | None) -> bool:
    """Tell whether the brain knows a topic as it is.

    A summary only counts queues. So it proves what we sent ourselves, and of what others sent it
    proves only Kafka's own topics, whose queues follow from their number; and of these, if it says
    which topic of that name it means, no other, that was made while no watcher ran (D3). Of racks
    it says nothing.
    """
    alike = (known.queues, known.awaited) == (seen.queues, seen.runs is None)
    agrees = alike and known.version > 0 and not (sent is None and seen.racks is not None)
    if sent is not None:
        return agrees and sent.seen == seen
    same = known.generation is None or seen.generation in {None, NO_ID, known.generation}
    return agrees and same and all(run[:2] == ("", 0) for run in seen.runs or ())


def patient_until(seen: Seen, known: TopicSummary, sent: Sent) -> float:
    """Until when what was sent may still show; a loss has to be said twice (D6)."""
    if seen.queues < known.queues and sent.times == 1:
        return sent.at + LOSS_S
    return sent.next_at()
