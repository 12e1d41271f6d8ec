"""Remarks: why a replay or a check may have found less than expected.

A recording under another prefix, of other groups, or of a cluster with other partitions is read to
its end without any result. Then the user wants to know what was read and what was skipped.

Called by `trimtab replay` and `trimtab check` with what is read and what is decided. Its one rule:
it speaks once, at the end and on stderr, and changes neither a result nor an exit code.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from console.progress import Progress
from console.recordings.evidence import TOGETHER_MS
from console.recordings.lines import Cut, Line
from console.recordings.restless import Restless
from console.settings.topics import TopicSettings
from sinks import Record
from streaming.wire.rows import Row
from trimtab.protocol import (
    DEADLETTERS,
    GROUPS,
    HISTORY,
    MEMBERS,
    ROUTES,
    TOPICS,
    Route,
    UndecodableRecord,
    decode,
    partition_of,
    read_member_key,
)
from trimtab.protocol.reasons import one_line

_NAMED = 3
"""How many of what may be thousands are named."""


@dataclass(slots=True)
class Remarks:
    """What is worth knowing when little was found."""

    topics: TopicSettings
    group: str | None
    """The one that is asked for."""
    _groups: set[str] = field(default_factory=set)
    """Those that were met."""
    _strangers: Counter[str] = field(default_factory=Counter)
    _misrouted: int = 0
    _set_back: tuple[int, str] = (TOGETHER_MS, "")
    """The furthest that a broker's clock stepped back, and where. Less is as good as right: records
    that are so near each other are tried in each order."""
    _routes: set[tuple[str, str]] = field(default_factory=set)
    _summaries: dict[bytes, bytes | None] = field(default_factory=dict)
    _restless: Restless = field(default_factory=Restless)

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing of the group that is asked for."""
        return self.group not in {None, *self._groups}

    def kept(self, lines: Iterable[Line], topics: Collection[str]) -> Iterator[Line]:
        """Leave out what is of other topics than these, and count what is of none of ours."""
        ours = {f"{self.topics.prefix}{name}" for name in TOPICS}
        for line in lines:
            if isinstance(line, Cut) or line.topic in topics:
                yield line
            elif line.topic not in ours:
                self._strangers[line.topic] += 1

    def hear(self, rows: Iterable[Row], groups: Collection[str] = ()) -> None:
        """Take note of what was read: whom it names (in its keys, or ``groups``), and of routes."""
        self._groups.update(groups)
        for row in rows:
            group = self._meet(row)
            if row.topic == f"{self.topics.prefix}{MEMBERS.name}" and self.group in {None, group}:
                self._restless.hear(group, row)
            if row.topic == f"{self.topics.prefix}{ROUTES.name}":
                try:
                    record = decode(ROUTES, row.value)
                except UndecodableRecord:
                    continue
                if isinstance(record, Route) and record.version > 0:
                    self._routes.add((group, record.topic))

    def compare(self, rows: Sequence[Row], groups: Collection[str]) -> None:
        """Take note of what is compared with what was published of these groups."""
        self.hear(rows, groups)
        homes = {it.encode(): partition_of(it, self.topics.partitions) for it in groups}
        latest = dict[tuple[str, int], Row]()
        for row in rows:
            by_group = TOPICS[row.topic.removeprefix(self.topics.prefix)].partitioned_by_group
            home = homes.get(row.key or b"")
            self._misrouted += by_group and home not in {None, row.partition}
            before = latest.setdefault(row[:2], row)
            if row.offset > before.offset:
                place = f"{row.topic}/{row.partition}@{row.offset}"
                self._set_back = max(self._set_back, (before.appended_ms - row.appended_ms, place))
                latest[row[:2]] = row

    def note(self, rows: Iterable[Row], decided: Iterable[Record]) -> None:
        """Take note of a batch: what was read, what of it was refused, and where groups stand."""
        self.hear(rows)
        for record in decided:
            self._meet(record)
            match record.topic.removeprefix(self.topics.prefix):
                case DEADLETTERS.name:
                    letter = decode(DEADLETTERS, record.value)
                    self._misrouted += letter.reason == "misrouted"
                case GROUPS.name:
                    self._summaries[record.key] = record.value

    def tell(self, progress: Progress) -> None:
        """Say it, a line each."""
        for remark in self._said():
            progress.note(remark)

    def _said(self) -> Iterator[str]:
        if self._strangers:
            count, names = self._strangers.total(), _some(list(self._strangers))
            yield f"{count} records of topics that are not read ({names}): is topics.prefix right?"
        if self.is_missing:
            yield f"no record of group {self.group}"
        if self._misrouted:
            yield (
                f"{self._misrouted} records are in a different partition than their key gives "
                f"with topics.partitions = {self.topics.partitions}: was it recorded with another "
                "number?"
            )
        back_ms, place = self._set_back
        if place:
            yield (
                f"a broker's clock went back by {back_ms} ms ({place}): in what order records of "
                "that time were read is not known, and a replay may differ there, and end"
            )
        yield from self._restless.said()
        early = list(self._early())
        if early:
            yield (
                f"routes before any subscription ({_some(early)}): "
                "a group uses only routes that come after its first join"
            )

    def _meet(self, record: Row | Record) -> str:
        """Return the group that a record is about, if its topic is one that tells."""
        topic = TOPICS[record.topic.removeprefix(self.topics.prefix)]
        if not topic.partitioned_by_group or record.key is None:
            return ""
        try:
            if topic.key == "group/member":
                group, member = read_member_key(record.key)
                self._restless.told(group, member)
            else:
                group = record.key.decode()
                if topic is HISTORY:
                    self._restless.recall(group, record.value)
        except (UndecodableRecord, UnicodeDecodeError):
            return ""  # a dead letter tells of it
        self._groups.add(group)
        return group

    def _early(self) -> Iterator[str]:
        """Name what was recorded and is nevertheless not known in the end."""
        for value in self._summaries.values():
            summary = None if value is None else decode(GROUPS, value)
            if summary is not None and self.group in {None, summary.group}:
                for topic, known in summary.topics.items():
                    if known.version == 0 and (summary.group, topic) in self._routes:
                        yield f"{topic} of {summary.group}"


def _some(names: list[str]) -> str:
    """List the first of them."""
    return one_line(", ".join(names[:_NAMED])) + (", ..." if len(names) > _NAMED else "")
