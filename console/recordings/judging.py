"""Judging: recorded topics, whatever was kept of them, shown to the auditor.

``ordering`` puts the records of all topics in order. That is not exactly the order in which the
controller read, so the auditor is told that it is not exact, and is lenient where that matters.

Called by `trimtab check`. Its one rule: what cannot be read is counted, and not judged; and what
could not be judged for want of records is said, because nothing was found wrong with it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from audit.checker import Checker, Promises
from audit.history import Place, Ticked
from audit.shown import NONE, Shown
from audit.violations import Invariant, Violation
from audit.wire import entries_of
from console.copies import without_copies
from console.recordings.ordering import PUBLISHED, in_order
from console.views.sentences import number
from streaming.wire.rows import Row
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
    GROUPS,
    HEARTBEATS,
    HISTORY,
    MEMBERS,
    RELEASES,
    ROCKETMQ,
    ROUTES,
    Topic,
    UndecodableRecord,
    read_group_key,
)

TOPICS: Final[Mapping[str, Topic[Any]]] = {
    topic.name: topic
    for topic in (
        MEMBERS,
        HEARTBEATS,
        RELEASES,
        ROUTES,
        COMMANDS,
        ROCKETMQ,
        ASSIGNMENTS,
        GROUPS,
        HISTORY,
    )
}
"""What is judged; of brokers and dead letters the auditor knows nothing."""
_MEMBERS: Final = (MEMBERS, ROCKETMQ)
"""Whatever says who joined."""
_NEEDED: Final[Mapping[Invariant, Sequence[Sequence[Topic[Any]]]]] = {
    Invariant.ONE_OWNER: [[ASSIGNMENTS]],
    Invariant.TOKENS_GROW: [[ASSIGNMENTS]],
    Invariant.EPOCHS_GROW: [[ASSIGNMENTS]],
    Invariant.PATIENT: [_MEMBERS, [HEARTBEATS], [ASSIGNMENTS], [HISTORY]],
    Invariant.ENTITLED: [_MEMBERS, [ASSIGNMENTS]],
    Invariant.CALM: [_MEMBERS, [ASSIGNMENTS]],
    Invariant.TOLD: [[ASSIGNMENTS], [GROUPS]],
}
"""What each invariant needs: a record of each of these, or of what stands beside it."""
_UNJUDGED: Final[Mapping[Invariant, tuple[str, str]]] = {
    Invariant.ONE_OWNER: ("grant", "what may have ended it, a release or a leave"),
    Invariant.PATIENT: ("eviction", "its cause, or of the member's joining"),
    Invariant.ENTITLED: ("member", "the joining"),
    Invariant.CALM: ("repetition", "who may have asked for it"),
}
"""What could not be judged one by one, and for want of what."""
_ORDERED: Final = (RELEASES.name, ASSIGNMENTS.name)
_TELLING: Final = (GROUPS.name, HISTORY.name)
"""Either may tell which of those were read before these were written."""


@dataclass(slots=True)
class Judge:
    """The auditor, and what was shown to it."""

    prefix: str
    promises: Promises
    shown: int = 0
    unreadable: list[str] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    not_examined: list[str] = field(default_factory=list)
    """What was not judged for want of records, once all of them were shown."""
    _unread: Counter[str] = field(default_factory=Counter)
    """Of what was published: of these a newer controller may have broken a promise."""

    def judge(self, rows: Iterable[Row], group: str | None) -> Iterator[Violation]:
        """Show a recording of what is judged to the auditor, and return what it finds."""
        ordered = list(without_copies(in_order(rows, self.prefix), self._entry))
        checker = Checker(self._promised(_firsts(ordered)))
        for row in ordered:
            for violation in self._show(checker, row, group):
                if group in {None, violation.group}:
                    yield violation
        yield from (each for each in checker.ends() if group in {None, each.group})
        self.not_examined += self._missing({row.topic for row in ordered})
        for invariant, count in checker.unjudged(group).items():
            what, why = _UNJUDGED[invariant]
            told = f"{number(count, what)}: there is no record of {why}"
            self.not_examined.append(f"{invariant}: {told}")
        for name, count in self._unread.items():
            self.not_examined.append(f"{number(count, 'record')} of {name}: unreadable here")

    def _entry(self, row: Row) -> tuple[bytes | None, bytes | None] | None:
        return (row.key, row.value) if row.topic == f"{self.prefix}{HISTORY.name}" else None

    def _missing(self, topics: Collection[str]) -> Iterator[str]:
        """Name the invariants that need topics of which nothing was shown."""
        there = {it.removeprefix(self.prefix) for it in topics}
        for invariant, needed in _NEEDED.items():
            missing = [it[0].name for it in needed if there.isdisjoint(one.name for one in it)]
            if missing:
                yield f"{invariant}: there is no record of {', '.join(missing)}"
        if there.issuperset(_ORDERED) and there.isdisjoint(_TELLING):
            alone = "clocks of brokers alone tell when releases were read"
            yield f"{Invariant.ONE_OWNER}: {alone}: there is no record of {', '.join(_TELLING)}"

    def _promised(self, firsts: Mapping[str, Mapping[int, Row]]) -> Promises:
        """Say what is shown. Beats prove releases that were lost, and let a record be repeated."""
        of = {it.name: firsts.get(f"{self.prefix}{it.name}", {}) for it in TOPICS.values()}
        releases, beats = _shown(of[RELEASES.name]), _shown(of[HEARTBEATS.name])
        # Nobody has an assignment who has not joined, nor for a command that nobody gave.
        joins, *others = (_from_there(of[it.name]) for it in (MEMBERS, COMMANDS, ROUTES))
        return replace(
            self.promises,
            releases=_later(releases, beats),
            joins=_later(joins, beats),
            others=dict(zip(("command", "adoption"), others, strict=True)),
        )

    def _show(self, checker: Checker, row: Row, group: str | None) -> Iterator[Violation]:
        topic = TOPICS[row.topic.removeprefix(self.prefix)]
        at = Place(row.topic, row.partition, row.offset, row.appended_ms)
        try:
            entries = list(entries_of(topic, at, row.key, row.value))
        except UndecodableRecord as error:
            self.unreadable.append(f"{at}: {error.reason}")
            if topic in PUBLISHED and (group is None or _may_be_of(group, row.key)):
                self._unread[topic.name] += 1
            entries = [Ticked(at)] if topic is HEARTBEATS else []
        for entry in entries:
            self.shown += 1
            if not isinstance(entry, Ticked):
                self.groups.add(entry.group)
            yield from checker.take(entry)


def _may_be_of(group: str, key: bytes | None) -> bool:
    """Tell whether a key names a group, or one of its members, or cannot be read."""
    try:
        return read_group_key((key or b"").partition(b"/")[0]) == group
    except UndecodableRecord:
        return True


def _firsts(rows: Iterable[Row]) -> dict[str, dict[int, Row]]:
    """Find the first row of each partition of each topic, by its place in the log."""
    firsts: defaultdict[str, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        known = firsts[row.topic].setdefault(row.partition, row)
        if row.offset < known.offset:
            firsts[row.topic][row.partition] = row
    return firsts


def _shown(firsts: Mapping[int, Row]) -> Shown:
    """Say what is shown of a topic: retention may have taken its beginning."""
    if not firsts:
        return NONE
    return Shown(since={it: row.appended_ms for it, row in firsts.items() if row.offset > 0})


def _from_there(firsts: Mapping[int, Row]) -> Shown:
    """Say the same of what must have been there: a partition without it has lost all."""
    shown = _shown(firsts)
    return shown if shown.missing else replace(shown, partitions=frozenset(firsts))


def _later(shown: Shown, beats: Shown) -> Shown:
    """Begin where beats begin, if that is later."""
    later = {it: max(shown.since.get(it, 0), at) for it, at in beats.since.items()}
    return replace(shown, since={**shown.since, **later})
