"""`trimtab replay`: what was decided and why, or what other settings would have decided.

Reads its options and prints; everything else is in ``console.recordings``. The formats are
described in its help.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from console import encoding
from console.commands.options import (
    ConfigFile,
    KeyValues,
    OneGroup,
    Recordings,
    Servers,
    call_of,
    settings_of,
    span_of,
)
from console.errors import ExitCode, Failure
from console.output import say, write

if TYPE_CHECKING:
    from console.progress import Progress
    from console.recordings.lines import Line
    from console.recordings.matching import Difference
    from console.recordings.reading import Wanted
    from console.recordings.remarks import Remarks
    from console.recordings.replaying import Replay
    from console.settings import Settings
    from console.settings.topics import TopicSettings
    from sinks import Record
    from streaming.wire.rows import Row

EVERY_MS = 300
"""How long a batch of a controller takes, about."""


Until = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", show_default=False, help="Stop at this log time, ISO 8601 or in ms."
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print the records as the controller writes them.")
]
Every = Annotated[
    int | None,
    typer.Option(
        metavar="MS",
        min=1,
        show_default=False,
        help="Cut batches by log time, and compare nothing: for other settings.",
    ),
]
Since = Annotated[
    str | None,
    typer.Option(metavar="TIME", show_default=False, help="Print what comes from then on."),
]


def replay(
    context: typer.Context,
    files: Recordings = None,
    *,
    since: Since = None,
    until: Until = None,
    group: OneGroup = None,
    as_json: AsJson = False,
    every: Every = None,
    servers: Servers = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
) -> None:
    r"""Run recorded events through the controller's own code, and print what it decides.

    A recording is JSON lines, one record of Kafka each, with lines between batches or without:
      {"topic": "members", "partition": 3, "offset": 9, "timestamp": 1767225600000,
       "key": "billing", "value": "{\"v\": 1, \"kind\": \"join\", ...}"}
      {"batch": 2}

    With batch lines, files are read one after the other, and batches end only there. The result
    has the same bytes as in production, if policy, brokers, partitions and cells are set as there.
    Without batch lines, what was published says where batches ended (`history` and `groups`,
    which a cluster has). Group by group the same batches are decided again, and compared with it.
    The group's replay ends at the first difference, with exit code 3. Causes: other settings,
    another release, records that Kafka has deleted, a broker's clock that stepped back. Where
    nothing was published, or with --every, the log is cut by its time: hand-overs may differ.

    Examples:
      trimtab replay incident.jsonl --group billing
      trimtab replay incident.jsonl --until 2026-01-01T12:00:00Z --json > decided.jsonl
      trimtab check incident.jsonl decided.jsonl
      trimtab replay incident.jsonl --set policy.strategy=AVG      what would AVG have done?
      trimtab replay --bootstrap-servers kafka-1:9092 --group billing --since 03:00
    """
    from console.recordings.remarks import Remarks
    from console.recordings.replaying import Replay
    from console.recordings.source import lines
    from console.wiring import described

    settings, progress = settings_of(config, key_values).settings, call_of(context).progress
    view = View(*span_of(since, until, back=None), group, as_json)
    again = Replay.of(described(settings))
    wanted = _wanted(again, settings, view, compared=every is None)
    recorded = lines(settings, files or (), servers, wanted, progress)
    remarks = Remarks(settings.topics, group)
    _refuse_cuts(read := list(remarks.kept(recorded, wanted.topics)), every)
    differs = _replay(again, read, remarks, every, view)
    remarks.tell(progress)
    _end(read, remarks, progress, differs=differs)


def _end(
    read: "Sequence[Line]", remarks: "Remarks", progress: "Progress", *, differs: bool
) -> None:
    """End as `check` does: nothing to replay is no success."""
    if not read:
        progress.note("nothing was replayed: no record that a controller hears could be read")
    if remarks.is_missing or not read:
        raise typer.Exit(ExitCode.NOT_FOUND)
    if differs:
        raise typer.Exit(ExitCode.UNHEALTHY)


def _refuse_cuts(read: "Sequence[Line]", every: int | None) -> None:
    """Refuse to cut what says itself where batches end: other bytes might come out than did."""
    from console.recordings.lines import Cut

    if every is not None and any(isinstance(line, Cut) for line in read):
        reason = "--every: the recording has lines between batches, which end only there"
        raise Failure(f"{reason}: use --every or batch lines, not both", ExitCode.USAGE)


def _wanted(again: "Replay", settings: "Settings", view: "View", *, compared: bool) -> "Wanted":
    """Return what is read: what the controller hears, and what it published."""
    from console.recordings.reading import Wanted

    prefix, heard = settings.topics.prefix, list(again.rules.decoder.topics)
    if view.group is not None:  # reports on brokers concern no group, and are many
        heard = [name for name in heard if name != f"{prefix}latency"]
    published = [f"{prefix}history", f"{prefix}groups"] if compared else []
    return Wanted([*heard, *published], view.group, decided=compared)


def _replay(
    again: "Replay", read: "Sequence[Line]", remarks: "Remarks", every: int | None, view: "View"
) -> bool:
    """Print what is decided, and tell whether it differs from what was published."""
    from console.recordings.lines import Cut

    history = f"{remarks.topics.prefix}history"
    if every is None and (groups := _published(read, history, view.group)):
        rows = [line for line in read if not isinstance(line, Cut)]
        remarks.compare(rows, groups)
        return _compare(again, groups, rows, remarks.topics, view)
    heard = again.rules.decoder.topics
    kept = [line for line in read if isinstance(line, Cut) or line.topic in heard]
    _cut_by_time(again, kept, every or EVERY_MS, remarks, view)
    return False


class View(NamedTuple):
    """What is printed."""

    since_ms: int | None
    until_ms: int | None
    group: str | None
    as_json: bool


def _cut_by_time(
    again: "Replay", lines: "Sequence[Line]", every: int, remarks: "Remarks", view: View
) -> None:
    """Print what is decided by batches that end where lines say, or else after so much time."""
    from console.recordings.matching import is_about
    from console.recordings.replaying import batches

    offsets = Counter[tuple[str, int]]()
    for number, rows in batches(lines, every, view.until_ms):
        decided = again.decide(rows)
        remarks.note(rows, decided)
        records = [each for each in decided if view.group is None or is_about(each, view.group)]
        if view.since_ms is not None and rows[-1].appended_ms < view.since_ms:
            continue
        if records and view.as_json:
            _write(number, rows, records, offsets)
        elif records:
            _tell(number, rows, records, remarks.topics.prefix)


def _published(lines: "Sequence[Line]", history: str, group: str | None) -> list[str]:
    """Return the groups whose history was read, if nobody says where batches end."""
    from console.recordings.lines import Cut

    if any(isinstance(line, Cut) for line in lines):
        return []
    keys = {line.key for line in lines if not isinstance(line, Cut) and line.topic == history}
    names = {key.decode(errors="replace") for key in keys if key is not None}
    return sorted(names) if group is None else [group] if group in names else []


def _compare(
    again: "Replay", groups: list[str], rows: "list[Row]", topics: "TopicSettings", view: View
) -> bool:
    """Print each group's batches as far as they are those that were published."""
    from console.recordings import evidence, matching

    if view.until_ms is not None:
        rows = [row for row in rows if row.appended_ms <= view.until_ms]
    offsets, differs = Counter[tuple[str, int]](), False
    for group in groups:
        published = evidence.Published.of(group, rows, topics.prefix)
        heard = evidence.about(group, rows, topics.prefix, topics.partitions, published.ends())
        for batch in matching.as_published(again.copied(), group, heard, published):
            if isinstance(batch, matching.Difference):
                differs = True
                _tell_difference(group, batch, topics.prefix)
            elif view.since_ms is None or batch.rows[-1].appended_ms >= view.since_ms:
                if view.as_json:
                    _write(batch.number, batch.rows, batch.records, offsets)
                else:
                    _tell(batch.number, batch.rows, batch.records, topics.prefix)
    return differs


def _tell_difference(group: str, found: "Difference", prefix: str) -> None:
    """Say on stderr where a replay has left what was published, and what may be why."""
    from console.views.moments import said
    from console.views.sentences import told
    from trimtab.protocol import HISTORY, decode

    told_then = "a summary that is replaced since"
    if (row := found.published) is not None:
        told_then = f"{row.topic}/{row.partition}@{row.offset}: {told(decode(HISTORY, row.value))}"
    lines = [f"difference at {said(found.at_ms)}: the replay of {group} ends here"]
    lines.append(f"  published: {told_then}")
    lines += [f"  replayed:  {_told(record, prefix)}" for record in found.decided]
    if found.first:
        lines.append(
            "  not one record came as it was published: "
            "are the first records kept, and the settings the same?"
        )
    sys.stderr.write("\n".join(map(encoding.visible, lines)) + "\n")


def _tell(number: int, rows: "list[Row]", records: "list[Record]", prefix: str) -> None:
    from console.views.moments import said

    write(f"batch {number} ({len(rows)} records), {said(rows[-1].appended_ms)}")
    for record in records:
        say(f"  {_told(record, prefix)}")


def _told(record: "Record", prefix: str) -> str:
    from console.views.sentences import told
    from trimtab.protocol import ASSIGNMENTS, TOPICS, decode, read_member_key

    topic = TOPICS[record.topic.removeprefix(prefix)]
    if record.value is not None:
        return told(decode(topic, record.value))
    if topic is ASSIGNMENTS:
        group, member = read_member_key(record.key)
        return f"{group}: {member} is told that the group does not know it"
    return f"{record.key.decode(errors='replace')}: withdrawn from {topic.name}"


def _write(
    number: int, rows: "list[Row]", records: "list[Record]", ends: Counter[tuple[str, int]]
) -> None:
    """Write records as if they had been appended when the last of their batch was."""
    write(f'{{"batch": {number}}}')
    for record in records:
        write(_line(record, ends[record[:2]], rows[-1].appended_ms))
        ends[record[:2]] += 1


def _line(record: "Record", offset: int, timestamp: int) -> str:
    return encoding.as_json(
        {
            "topic": record.topic,
            "partition": record.partition,
            "offset": offset,
            "timestamp": timestamp,
            "key": record.key.decode(errors="replace"),
            "value": None if record.value is None else record.value.decode(),
        }
    )
