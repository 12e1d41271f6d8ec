"""The golden vectors that the real RocketMQ classes wrote, as tests read them.

They come from the published jars (5.3.3; 4.9.8 for the older generation) on a virtual clock, never
from a formula of ours.
"""

import json
from collections.abc import Callable
from pathlib import Path

from tests.builders.lines import Line, of_each
from trimtab.faults import RULES, FaultItem, FaultRules

FOLDER = Path(__file__).parents[1] / "fixtures" / "vectors" / "rocketmq"

Test = Callable[[Line], None]


def read(name: str) -> list[Line]:
    """Read one file of vectors."""
    return [json.loads(text) for text in (FOLDER / f"{name}.jsonl").read_text("ascii").splitlines()]


def cases(lines: list[Line], *kinds: str) -> Callable[[Test], Callable[[], None]]:
    """Make one test of the lines of these kinds."""
    return of_each([line for line in lines if line["kind"] in kinds])


def default_rules(line: Line) -> FaultRules:
    """The table of the line's RocketMQ."""
    return RULES["rocketmq-4" if line["version"].startswith("4") else "rocketmq-5"]


def rules(line: Line) -> FaultRules:
    """The table of the line's RocketMQ, with the rungs that the line sets."""
    return default_rules(line).with_ladder(line["latencyMax"], line["notAvailableDuration"])


def items(rows: list[Line]) -> list[FaultItem]:
    """Read fault items as they are written."""
    return [
        FaultItem(
            broker=row["broker"],
            current_latency=row["currentLatency"],
            start_timestamp=row["startTimestamp"],
            reachable=row.get("reachableFlag", False),
        )
        for row in rows
    ]


def written(line: Line) -> Callable[[FaultItem], Line]:
    """Write an item as the line's version does; 4.x has neither flag nor probes."""

    def write(item: FaultItem) -> Line:
        row: Line = {
            "broker": item.broker,
            "currentLatency": item.current_latency,
            "startTimestamp": item.start_timestamp,
        }
        if line["version"].startswith("5"):
            row |= {"reachableFlag": item.reachable, "checkStamp": item.check_stamp}
        return row

    return write
