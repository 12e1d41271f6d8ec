"""The checker: all checks of this folder on one history, entry by entry.

Show it a history in the order in which the controller read and wrote it (``take``); say where a
batch ends, if you know (``batch_ends``), and when it should have come to rest (``at_rest``). It
returns violations at once.

Called by the simulation after every step and by `trimtab check` on recorded topics. Its one rule:
it needs nothing but the entries and the promises, and never looks into the brain.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, assert_never

from audit.agreement import Agreement
from audit.entitlement import Balance, Entitlement
from audit.epochs import Epochs
from audit.history import (
    BeatSeen,
    Commanded,
    DrainAsked,
    Effaced,
    Entry,
    Heard,
    Held,
    Issued,
    Joined,
    Left,
    Life,
    Released,
    Removed,
    Routed,
    Started,
    Summarised,
    Ticked,
    Withdrawn,
)
from audit.possession import Possession
from audit.reading import Reader, Reading
from audit.rest import Rest
from audit.shown import ALL, Shown
from audit.silence import Blast, Silence
from audit.violations import Invariant, Violation

_AT_REST: Final = ("stable", "starved")


@dataclass(frozen=True, slots=True, kw_only=True)
class Promises:
    """What the controller that is judged has promised."""

    max_clock_step_ms: int = 2_000
    """How much silence one record can prove."""
    balance: Balance = Balance.NOTHING
    blast: Blast = field(default_factory=Blast)
    """When silence is doubted."""
    exact: bool = False
    """The entries come in the very order in which the controller read and wrote them, and the
    ends of its batches are known. Recorded topics only have the brokers' times."""
    releases: Shown = ALL
    """What members let go. Where it is not in the history, a member that is told to let go is
    taken to have done so."""
    joins: Shown = ALL
    """Joins and leaves. Where they are not, it is unknown who asked to be told again, or left."""
    others: Mapping[str, Shown] = field(default_factory=dict)
    """By kind of cause, what else may ask for it that members are told again."""
    bytes_at_rest: int = 2_500
    bytes_each: int = 150
    """What the state of a group may take, and more for each member and queue. One name may be as
    long as Kafka allows and stand in it six times, and those that went lately are remembered."""


@dataclass(slots=True)
class _Group:
    """The judges of one group."""

    possession: Possession
    epochs: Epochs
    silence: Silence
    entitlement: Entitlement
    rest: Rest
    agreement: Agreement
    summary: Summarised | None = None
    lives: dict[str, set[Life]] = field(default_factory=dict)
    """By member, the lives that were sent assignments, or were named, and have not ended."""

    def issued(self, record: Issued) -> Iterator[Violation]:
        """Hand on assignments, but not those that a controller repeats from an old state."""
        if self.epochs.is_old(record.epoch):
            yield from self.epochs.repeated(record)
            return
        yield from self.possession.begins(record.epoch)
        if not record.apart:
            self.overtaken(record.life)
        self.lives.setdefault(record.life.member, set()).add(record.life)
        yield from self.possession.issued(record)
        yield from self.agreement.issued(record)
        yield from self.epochs.issued(record)
        yield from self.entitlement.issued(record)
        self.silence.issued(record)
        self.rest.issued(record)

    def summarised(self, record: Summarised) -> Iterator[Violation]:
        """Hand the summary to whom it concerns."""
        if not self.epochs.is_old(record.epoch):
            self.summary = record
            self.silence.summarised(record)
            self.rest.summarised(record)
            yield from self.agreement.summarised(record)
            yield from self.epochs.summarised(record)

    def released(self, record: Released) -> Iterator[Violation]:
        """Hand on a release; whom it names works from now on, before any assignment."""
        for naming in record.namings:
            if naming.to is not None:
                self.lives.setdefault(naming.to.member, set()).add(naming.to)
        yield from self.possession.released(record)

    def overtaken(self, younger: Life) -> None:
        """The older lives of a member are over."""
        lives = self.lives.get(younger.member, ())
        for life in [life for life in lives if life.incarnation < younger.incarnation]:
            self.ended(life)

    def heard(
        self, entry: Joined | BeatSeen | DrainAsked | Left, reading: Reading
    ) -> Iterator[Violation]:
        """Hand the word of a member to whom it concerns."""
        match entry:
            case Joined():
                self.silence.joined(entry, reading)
                self.possession.joined(entry)
                self.epochs.joined(entry)
                self.entitlement.joined(entry)
                self.rest.joined(entry)
            case BeatSeen():
                self.silence.beat(entry, reading)
                yield from self.possession.beat(entry)
                self.epochs.beat(entry, reading)
                self.rest.beat(entry)
            case DrainAsked():
                self.entitlement.drained(entry.life)
                self.silence.drained(entry, reading)
            case Left():
                if self.silence.left(entry, reading):
                    self.possession.left(entry.life)
            case _:
                assert_never(entry)

    def removed(self, record: Removed) -> Iterator[Violation]:
        """A life was removed, and all before it are over."""
        yield from self.silence.removed(record)
        self._forget(record.life)
        self.overtaken(record.life)

    def ended(self, life: Life) -> None:
        """A life is over."""
        self.silence.ended(life)
        self._forget(life)

    def _forget(self, life: Life) -> None:
        self.lives.get(life.member, set()).discard(life)
        self.possession.ended(life)
        self.epochs.ended(life)
        self.entitlement.ended(life)
        self.agreement.ended(life)
        self.rest.ended(life)


class Checker:
    """The judges of all groups."""

    def __init__(self, promises: Promises | None = None) -> None:
        """Begin with an empty history."""
        self._promises = promises or Promises()
        self._reader = Reader(self._promises.max_clock_step_ms)
        self._groups: dict[str, _Group] = {}

    def take(self, entry: Entry) -> Iterator[Violation]:
        """Judge one entry."""
        match entry:
            case Issued():
                yield from self._of(entry.group).issued(entry)
            case Withdrawn():
                self._withdrawn(entry)
            case Removed():
                yield from self._of(entry.group).removed(entry)
            case Held():
                self._of(entry.group).silence.held(entry)
            case Summarised():
                yield from self._of(entry.group).summarised(entry)
            case Effaced():
                yield self._of(entry.group).epochs.effaced(entry)
            case _:
                yield from self._heard(entry)

    def batch_ends(self) -> Iterator[Violation]:
        """Judge what only the end of a batch shows."""
        for group in self._groups.values():
            yield from group.possession.settled()
            yield from group.entitlement.settled()
            yield from group.agreement.settled()
            yield from group.silence.overdue()
            summary = group.summary
            if summary is not None and summary.state in _AT_REST and summary.settled:
                yield from group.entitlement.unbalanced(self._promises.balance, summary.apart)
        self._reader.batch_ends()

    def ends(self) -> Iterator[Violation]:
        """Judge what is left when there are no more entries."""
        for group in self._groups.values():
            yield from group.possession.settled()
            yield from group.agreement.settled()

    def at_rest(self, group: str, *, acknowledged: bool = True) -> Iterable[Violation]:
        """Judge a group that should have come to rest."""
        return self._of(group).rest.restless(acknowledged=acknowledged)

    def measured(self, group: str, size: int, things: int) -> Iterator[Violation]:
        """Judge the size of a group's state, which has so many members and queues (I16)."""
        most = self._promises.bytes_at_rest + things * self._promises.bytes_each
        if size > most:
            detail = f"{size} bytes of state for {things} members and queues"
            yield Violation(Invariant.BOUNDED, group, "state", detail)

    def unjudged(self, group: str | None) -> Counter[Invariant]:
        """Count what could not be judged, of one group or all: too little was shown."""
        found = Counter[Invariant]()
        for it in [it for name, it in self._groups.items() if group in {None, name}]:
            found[Invariant.ONE_OWNER] += it.possession.unjudged
            found[Invariant.PATIENT] += it.silence.unjudged
            found[Invariant.ENTITLED] += len(it.entitlement.unjudged)
            found[Invariant.CALM] += it.epochs.unjudged
        return +found

    def _of(self, name: str) -> _Group:
        group, promises = self._groups.get(name), self._promises
        if group is None:
            exact = promises.exact
            group = self._groups[name] = _Group(
                Possession(name, exact=exact, releases=promises.releases, joins=promises.joins),
                Epochs(
                    name, self._reader, exact=exact, joins=promises.joins, others=promises.others
                ),
                Silence(name, self._reader, promises.blast, one_clock=exact),
                Entitlement(name, exact=exact),
                Rest(name),
                Agreement(name, exact=exact),
            )
        return group

    def _withdrawn(self, entry: Withdrawn) -> None:
        group = self._of(entry.group)
        name, _, incarnation = entry.member.rpartition("@")  # of a twin that is told apart
        apart = group.lives.get(name, set()) & {Life(name, incarnation)}
        for life in apart.union(group.lives.get(entry.member, ())):
            group.ended(life)

    def _heard(self, entry: Heard) -> Iterator[Violation]:
        reading = self._reader.read(entry)
        match entry:
            case Ticked():
                pass
            case Commanded():
                self._of(entry.group).silence.commanded(entry, reading)
                self._of(entry.group).epochs.commanded(entry)
            case Released():
                yield from self._of(entry.group).released(entry)
            case Started():
                self._of(entry.group).epochs.started(entry)
                self._of(entry.group).silence.started()
            case Routed():
                self._of(entry.group).rest.routed(entry)
            case _:
                yield from self._of(entry.group).heard(entry, reading)
