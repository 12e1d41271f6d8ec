"""Epochs: the one counter of a group, and what may be said under it (I4, I14).

A reader drops what is not newer than what it has seen. So readers would ignore a lower epoch, and
one epoch with two meanings would split the group. A replayed batch may say the same again, byte for
byte, and a controller that starts with an old state may replay one old batch, before it reads what
is published (A7). The group's last summary must not be taken back: it is all that is left of an
epoch when the group is empty. And a member is not told again what it knows, unless it asked by
joining, or its beats show that it does not know it, or the controller has forgotten that it knows:
otherwise an idle group would publish for ever.

Called by ``checker`` for each record published to one group. Its one rule: it compares what was
said with what was said before, and nothing else.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from typing import NamedTuple

from audit.askings import ANSWERED_MS, STARTED_MS, Askings
from audit.history import (
    BeatSeen,
    Commanded,
    Effaced,
    Grant,
    Issued,
    Joined,
    Life,
    Started,
    Summarised,
)
from audit.reading import Reader, Reading
from audit.reminders import Reminders
from audit.shown import ALL, Shown
from audit.violations import Invariant, Violation

_MEANINGS_REMEMBERED = 10_000
"""Records. What an older memory should have repeated is unknown."""


class _Said(NamedTuple):
    """The last word under one key."""

    epoch: int
    content: Hashable
    assignment: Hashable
    """The same without epoch and cause."""
    grants: frozenset[Grant]


class Epochs:
    """The counter of one group, as published."""

    def __init__(
        self,
        group: str,
        reader: Reader,
        *,
        exact: bool,
        joins: Shown,
        others: Mapping[str, Shown],
    ) -> None:
        """Begin with nothing said; say what will be shown, and in which order (``Promises``)."""
        self._group = group
        self._exact = exact
        self._joins, self._others = joins, others
        self._reminders = Reminders(reader, exact=exact)
        self._highest = 0
        self._began = False
        """A controller started, and has not gone on from the highest epoch yet."""
        self._repeated = 0
        """The epoch of the batch that it has repeated."""
        self._meanings: OrderedDict[tuple[Life, int], Hashable] = OrderedDict()
        """What was said to whom under which epoch."""
        self._said: dict[Life, _Said] = {}
        self._newest: dict[str, Life] = {}
        """By name, the latest life that was told something."""
        self._summary: tuple[int, Hashable] = (0, None)
        self._reader, self._partition = reader, 0
        self._askings = Askings(exact=exact)
        self._start = ""
        """The last one that has told what it found: a record for each member."""
        self.unjudged = 0
        """Records that say the same again, when nobody can see whether they were asked for."""

    def started(self, record: Started) -> None:
        """A controller starts, and may tell all members anew."""
        self._began, self._repeated = True, 0
        if record.start != self._start or not record.start:
            self._askings.may(self._said, self._now_ms + STARTED_MS)
        self._start = record.start

    def is_old(self, epoch: int) -> bool:
        """Tell what a controller that has just started repeats from an old state."""
        return self._began and epoch < max(self._highest, self._summary[0])

    def _go_on(self, epoch: int) -> None:
        """Once it has said something new, it repeats nothing old."""
        self._began = self._began and epoch <= max(self._highest, self._summary[0])

    def repeated(self, record: Issued) -> Iterator[Violation]:
        """Judge what is repeated: one batch, that has been said and means what it meant."""
        if self._repeated not in {0, record.epoch}:
            detail = f"epoch {record.epoch} of an old state after {self._repeated}"
            yield self._violation(Invariant.EPOCHS_GROW, record, detail)
        self._repeated = record.epoch
        key = record.life, record.epoch
        forgotten = len(self._meanings) == _MEANINGS_REMEMBERED and key not in self._meanings
        if not forgotten and self._meanings.get(key) != record.content:
            detail = f"epoch {record.epoch} of an old state says something else"
            yield self._violation(Invariant.EPOCHS_GROW, record, detail)

    def commanded(self, record: Commanded) -> None:
        """By one command all members are told again."""
        if record.verb == "rebalance":
            for life in self._said:
                self._askings.has_to(life)

    def joined(self, record: Joined) -> None:
        """A join must be answered, even if nothing changed."""
        self._partition = record.at.partition
        self._askings.has_to(record.life)

    def beat(self, record: BeatSeen, reading: Reading) -> None:
        """A member must be told if it has not read its assignment, or claims too much."""
        if self._reminders.is_due(record, reading):
            self._may_ask(record.life)
        newest = self._newest.get(record.life.member)
        if newest is not None and newest > record.life and record.epoch:
            self._may_ask(newest)  # its record ends this life, which seems not to have read it
        said = self._said.get(record.life)
        if said is None or record.owned is None:
            return
        if not self._exact or not said.grants.issuperset(record.owned):
            self._may_ask(record.life)

    def _may_ask(self, life: Life) -> None:
        self._askings.may([life], self._now_ms + ANSWERED_MS)

    @property
    def _now_ms(self) -> int:
        return self._reader.now(self._partition).sure_ms

    def issued(self, record: Issued) -> Iterator[Violation]:
        """Judge a member's assignment."""
        before = self._said.get(record.life)
        told = (record.hold, record.give, record.heirs, record.inherit, record.shared)
        timers = record.session_timeout_ms, record.heartbeat_interval_ms
        assignment = (told, timers, record.unheard)
        again = before is not None and before.assignment == assignment
        self._reminders.told(record, again=again)
        self._newest[record.life.member] = max(
            record.life, self._newest.get(record.life.member, record.life)
        )
        grants = frozenset([*record.hold, *record.give])
        self._said[record.life] = _Said(record.epoch, record.content, assignment, grants)
        self._partition = record.at.partition
        asked = self._askings.is_open(record.life, self._now_ms)
        news = before is None or before.epoch < record.epoch
        if asked and (news or (self._exact and not self._began)):
            # A batch that is repeated is no new answer.
            self._askings.answered(record.life, self._now_ms)
        if record.epoch < self._highest:
            detail = f"epoch {record.epoch} after {self._highest}"
            yield self._violation(Invariant.EPOCHS_GROW, record, detail)
        self._go_on(record.epoch)
        self._highest = max(self._highest, record.epoch)
        self._meanings[record.life, record.epoch] = record.content
        if len(self._meanings) > _MEANINGS_REMEMBERED:
            self._meanings.popitem(last=False)
        if before is None:
            return
        if before.epoch == record.epoch and before.content != record.content:
            detail = f"two meanings of epoch {record.epoch}"
            yield self._violation(Invariant.EPOCHS_GROW, record, detail)
        if asked or before.epoch >= record.epoch or not again:
            return
        asks = self._joins, self._others.get(record.cause, ALL)
        if all(it.covers(record.at) for it in asks):
            detail = f"told again under epoch {record.epoch} what epoch {before.epoch} said"
            yield self._violation(Invariant.CALM, record, detail)
        else:
            self.unjudged += 1

    def summarised(self, record: Summarised) -> Iterator[Violation]:
        """Judge a summary."""
        self._go_on(record.epoch)
        epoch, content = self._summary
        self._summary = (record.epoch, record.content)
        if record.epoch < epoch or (record.epoch == epoch and record.content != content):
            detail = f"the summary of epoch {record.epoch} after that of {epoch}"
            yield Violation(Invariant.EPOCHS_GROW, self._group, "summary", detail, (record.at,))

    def effaced(self, entry: Effaced) -> Violation:
        """The last summary must not be taken back: the group would begin at 1 again."""
        detail = f"its last summary, of epoch {self._summary[0]}, was taken back"
        return Violation(Invariant.EPOCHS_GROW, self._group, "summary", detail, (entry.at,))

    def ended(self, life: Life) -> None:
        """A life is over: should it come back, it knows nothing."""
        self._said.pop(life, None)
        if self._newest.get(life.member) == life:
            del self._newest[life.member]
        self._reminders.ended(life)
        self._askings.ended(life)

    def _violation(self, invariant: Invariant, record: Issued, detail: str) -> Violation:
        return Violation(invariant, self._group, record.life.member, detail, (record.at,))
