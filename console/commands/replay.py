"""`trimtab replay`: what was decided and why, or what other settings would have decided.

Reads its options and prints; everything else is in ``console.recordings``. The formats are
described in its help.
"""

import json
from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from console.commands.options import (
    Assignments,
    ConfigFile,
    OneGroup,
    Recordings,
    Servers,
    call_of,
    moment_of,
    settings_of,
)
from console.output import write

if TYPE_CHECKING:
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
    int,
    typer.Option(
        metavar="MS", min=1, help="Log time of a batch, if the files have no batch lines."
    ),
]


def replay(
    context: typer.Context,
    files: Recordings = None,
    *,
    until: Until = None,
    group: OneGroup = None,
    as_json: AsJson = False,
    every: Every = EVERY_MS,
    servers: Servers = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    r"""Run recorded events through the controller's own code, and print what it decides.

    A recording is JSON lines, one record of Kafka each, with lines between batches or without:
      {"topic": "members", "partition": 3, "offset": 9, "timestamp": 1767225600000,
       "key": "billing", "value": "{\"v\": 1, \"kind\": \"join\", ...}"}
      {"batch": 2}

    With batch lines, files are read one after the other, and batches end only there. The result
    has the same bytes as in production, if policy, brokers, partitions and cells are set as there.
    Without batch lines, as from a cluster, --every cuts the log. The controller cut elsewhere, so
    hand-overs may differ from what really happened: that is in `trimtab groups history`.

    Examples:
      trimtab replay incident.jsonl --group billing
      trimtab replay incident.jsonl --until 2026-01-01T12:00:00Z --json > decided.jsonl
      trimtab check incident.jsonl decided.jsonl
      trimtab replay incident.jsonl --set policy.strategy=AVG      what would AVG have done?
      trimtab replay --bootstrap-servers kafka-1:9092 --group billing
    """
    from console.recordings.remarks import Remarks
    from console.recordings.replaying import Replay, batches
    from console.recordings.source import lines
    from console.wiring import described

    settings, progress = settings_of(config, assignments).settings, call_of(context).progress
    again = Replay.of(described(settings))
    remarks, topics = Remarks(settings.topics, group), list(again.rules.decoder.topics)
    read = remarks.kept(lines(settings, files or (), servers, topics, progress, group), topics)
    offsets = Counter[tuple[str, int]]()
    for number, rows in batches(read, every, moment_of("--until", until)):
        decided = again.decide(rows)
        remarks.note(rows, decided)
        records = [each for each in decided if group is None or _is_of(each, group)]
        if records and as_json:
            _write(number, rows, records, offsets)
        elif records:
            _tell(number, rows, records, settings.topics.prefix)
    remarks.tell(progress)


def _is_of(record: "Record", group: str) -> bool:
    key = record.key.decode(errors="replace")
    return key == group or key.startswith(f"{group}/")


def _tell(number: int, rows: "list[Row]", records: "list[Record]", prefix: str) -> None:
    from console.views.moments import said

    write(f"batch {number} ({len(rows)} records), {said(rows[-1].appended_ms)}")
    for record in records:
        write(f"  {_told(record, prefix)}")


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
    return json.dumps(
        {
            "topic": record.topic,
            "partition": record.partition,
            "offset": offset,
            "timestamp": timestamp,
            "key": record.key.decode(errors="replace"),
            "value": None if record.value is None else record.value.decode(),
        },
        ensure_ascii=False,
    )
