"""What the notes say, in figures; pure.

A message has touched the bad broker if it ended there, or if it took longer than a try does and
could be moved: only the bad broker keeps anybody waiting for that long, unless the machine does.

Called by ``report``. Its one rule: a figure is computed from notes and verdicts alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import quantiles

from bench.brokers.plan import BAD, BROKERS, Fault, Kind, Phase, Plan
from bench.brokers.producers import Note


@dataclass(frozen=True, slots=True)
class Turned:
    """A verdict on the bad broker that says something else than the one before."""

    at_s: float
    """When it was readable, since the producers are at work."""
    available: bool


@dataclass(frozen=True, slots=True)
class Story:
    """What happened in a run."""

    plan: Plan
    phases: Sequence[Phase]
    notes: Sequence[Note]
    turns: Sequence[Turned]

    def condemned_s(self, phase: Phase) -> float | None:
        """Return when the bad broker was put out of use, in a phase; None: it was not."""
        times = [it.at_s for it in self.turns if not it.available]
        return next((at for at in times if phase.begin <= at < phase.end), None)

    def freed_s(self, phase: Phase) -> float | None:
        """Return when it was in use again by the verdict, in a phase."""
        times = [it.at_s for it in self.turns if it.available]
        return next((at for at in times if phase.begin <= at < phase.end), None)

    def of(self, kind: Kind, begin: float = 0.0, end: float = float("inf")) -> list[Note]:
        """Return what a kind sent in a time; newcomers not included."""
        return [
            it
            for it in self.notes
            if it.kind is kind and it.newcomer is None and begin <= it.at_s < end
        ]

    def touched(self, note: Note) -> bool:
        """Tell whether a message touched the bad broker."""
        moved = note.kind is not Kind.PLAIN and note.took_s >= self.plan.deadline_s / 3 - 1
        return is_bad(note.partition) or moved

    def share(self, notes: Iterable[Note]) -> float | None:
        """Return the share of messages that touched the bad broker."""
        touched = [self.touched(it) for it in notes]
        return sum(touched) / len(touched) if touched else None

    def after_verdict(self, kind: Kind) -> list[Note]:
        """Return what a kind sent from a verdict to the end of the fault."""
        found: list[Note] = []
        for phase in self.phases:
            at = self.condemned_s(phase) if phase.fault is not Fault.NONE else None
            if at is not None:
                found += self.of(kind, at, phase.end)
        return found

    def newcomers(self, kind: Kind) -> list[list[Note]]:
        """Return what each newcomer of a kind sent, in order."""
        sent: dict[int, list[Note]] = {}
        for it in self.notes:
            if it.kind is kind and it.newcomer is not None:
                sent.setdefault(it.newcomer, []).append(it)
        return [sorted(notes, key=lambda it: it.at_s) for _, notes in sorted(sent.items())]


def is_bad(partition: int) -> bool:
    """Tell whether the bad broker leads a partition: they are dealt out in turn; -1 is none."""
    return partition >= 0 and partition % BROKERS == int(BAD) - 1


def percentile(notes: Sequence[Note], percent: int) -> float:
    """Return in how many milliseconds so many of the messages had met their fate."""
    times = [1_000 * it.took_s for it in notes]
    return quantiles(times, n=100, method="inclusive")[percent - 1]
