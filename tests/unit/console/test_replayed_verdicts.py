"""`trimtab replay` judges brokers by the settings that the controller judged them by."""

import json
from pathlib import Path

import pytest

from bench.fold.parts import Remembered
from bench.frames import framed
from console.settings import load
from console.wiring import described
from sinks import Record
from streaming.cell.codec import Cell, write
from streaming.cell_operator import CellOperator
from streaming.wire.rows import Row
from streaming.wire.slots import slot_of
from tests.builders.command_line import Run
from tests.builders.log import PARTITIONS, PREFIX, Log
from tests.builders.reports import EAST, outage
from tests.unit.console.a_controller import recorded
from trimtab.protocol import BROKERS, partition_of

ALIKE = [f"topics.prefix={PREFIX}", f"topics.partitions={PARTITIONS}"]
Published = list[tuple[str, str, str | None]]


def recording() -> list[Row]:
    """Half a minute in which three producers say that broker a fails."""
    log = Log()
    outage(log)
    return log.read()


def in_production(rows: list[Row], chosen: list[str]) -> Published:
    """What the operator that runs in Spark publishes of verdicts, in one batch."""
    made = described(load(key_values=chosen, environment={}).settings)
    topics, slots = made.topics, made.query.cells_per_partition
    operator = CellOperator(topics.prefix, topics.partitions, made.policy, made.verdicts, slots)
    key = EAST.encode()
    place = partition_of(EAST, topics.partitions) * slots + slot_of(key, slots)
    frame = framed(rows)
    frames = operator((place,), iter([frame]), Remembered(write(Cell())))
    records = [Record(*values) for decided in frames for values in decided.to_numpy().tolist()]
    return [
        (it.topic, it.key.decode(), None if it.value is None else it.value.decode())
        for it in records
        if it.topic == f"{PREFIX}{BROKERS.name}"
    ]


def replayed(rows: list[Row], chosen: list[str], run: Run) -> Published:
    """What `trimtab replay` makes of the same batch."""
    Path("recording.jsonl").write_text(recorded(rows))
    flags = [flag for it in chosen for flag in ("--set", it)]
    code, printed, _ = run("replay", "recording.jsonl", "--every", "600000", "--json", *flags)
    assert 0 == code
    records = [json.loads(line) for line in printed.splitlines()]
    return [
        (it["topic"], it["key"], it["value"])
        for it in records
        if it.get("topic") == f"{PREFIX}{BROKERS.name}"
    ]


@pytest.mark.parametrize(
    "choice",
    [
        "brokers.mode=rocketmq-4",
        "brokers.mode=rocketmq-5",
        "brokers.quorum=4",
        "brokers.failures=off",
        "brokers.failures=shadow",
        "brokers.ejection_time=17s",
        "brokers.sweep_interval=2s",
        "brokers.max_ejected_percent=0",
        "brokers.panic_percent=100",
    ],
)
def test_verdicts_are_those_that_were_published(choice: str, run: Run) -> None:
    """Whatever is set: to the byte."""
    rows = recording()
    chosen = [*ALIKE, choice]

    assert in_production(rows, chosen) == replayed(rows, chosen, run)


def test_the_choices_matter(run: Run) -> None:
    """Else the comparison would show nothing."""
    rows = recording()
    usual = in_production(rows, ALIKE)

    assert [] != usual == replayed(rows, ALIKE, run)
    assert usual != in_production(rows, [*ALIKE, "brokers.quorum=4"])
