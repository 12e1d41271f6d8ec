"""Judging: recorded topics, whatever was kept of them, shown to the auditor.

The records of all topics are put in the order of the brokers' time; at the same millisecond, what
was heard comes before what was published. That is not exactly the order in which the controller
read, so the auditor is told that it is not exact, and reports only what is wrong in every other
order, too.

Called by `trimtab check`. Its one rule: what cannot be read is counted, and not judged.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from audit.checker import Checker, Promises
from audit.history import Place, Ticked
from audit.shown import NONE, Shown
from audit.violations import Violation
from audit.wire import entries_of
from streaming.topics import inlets
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


@dataclass(slots=True)
class Judge:
    """The auditor, and what was shown to it."""

    prefix: str
    promises: Promises
    shown: int = 0
    unreadable: list[str] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)

    def judge(self, rows: Iterable[Row], group: str | None) -> Iterator[Violation]:
        """Show a recording of what is judged to the auditor, and return what it finds."""
        heard = inlets(self.prefix)
        ordered = sorted(
            rows,
            key=lambda row: (row.appended_ms, row.topic not in heard, row[:3]),
        )
        checker = Checker(self._promised(_firsts(ordered)))
        for row in ordered:
            for violation in self._show(checker, row):
                if group in {None, violation.group}:
                    yield violation
        yield from (each for each in checker.ends() if group in {None, each.group})

    def _promised(self, firsts: Mapping[str, Mapping[int, Row]]) -> Promises:
        """Say what is shown. Beats prove releases that were lost, and let a record be repeated."""
        releases, beats, joins = (
            _shown(firsts.get(f"{self.prefix}{it.name}")) for it in (RELEASES, HEARTBEATS, MEMBERS)
        )
        if not joins.missing:  # nobody has an assignment who has not joined
            there = frozenset(firsts[f"{self.prefix}{MEMBERS.name}"])
            joins = replace(joins, partitions=there)
        return replace(self.promises, releases=_later(releases, beats), joins=_later(joins, beats))

    def _show(self, checker: Checker, row: Row) -> Iterator[Violation]:
        topic = TOPICS[row.topic.removeprefix(self.prefix)]
        at = Place(row.topic, row.partition, row.offset, row.appended_ms)
        try:
            entries = list(entries_of(topic, at, row.key, row.value))
        except UndecodableRecord as error:
            self.unreadable.append(f"{at}: {error.reason}")
            entries = [Ticked(at)] if topic is HEARTBEATS else []
        for entry in entries:
            self.shown += 1
            if not isinstance(entry, Ticked):
                self.groups.add(entry.group)
            yield from checker.take(entry)


def _firsts(rows: Iterable[Row]) -> dict[str, dict[int, Row]]:
    """Find the first row of each partition of each topic, by its place in the log."""
    firsts: defaultdict[str, dict[int, Row]] = defaultdict(dict)
    for row in rows:
        known = firsts[row.topic].setdefault(row.partition, row)
        if row.offset < known.offset:
            firsts[row.topic][row.partition] = row
    return firsts


def _shown(firsts: Mapping[int, Row] | None) -> Shown:
    """Say what is shown of a topic: retention may have taken its beginning."""
    if not firsts:
        return NONE
    return Shown(since={it: row.appended_ms for it, row in firsts.items() if row.offset > 0})


def _later(shown: Shown, beats: Shown) -> Shown:
    """Begin where beats begin, if that is later."""
    later = {it: max(shown.since.get(it, 0), at) for it, at in beats.since.items()}
    return replace(shown, since={**shown.since, **later})
