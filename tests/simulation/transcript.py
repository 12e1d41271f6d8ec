"""The transcript of a life: what happened, what was found, and every record the controller read.

The records stand in the form of `trimtab replay`: one JSON line each, with a line between batches.
The first lines are comments of the same form, which a replay ignores.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from streaming.rows import Row
from tests.simulation.world import Outcome


def keep(outcome: Outcome, folder: Path) -> Path:
    """Write a life down."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"seed-{outcome.scenario.seed}.jsonl"
    file.write_text("\n".join(lines(outcome)) + "\n", encoding="utf-8")
    return file


def lines(outcome: Outcome) -> Iterator[str]:
    """The life, line by line."""
    for text in [*str(outcome.scenario).splitlines(), *map(str, outcome.violations)]:
        yield json.dumps({"comment": text})
    for number, rows in enumerate(outcome.brain.cuts):
        yield json.dumps({"batch": number})
        yield from map(_line, rows)


def _line(row: Row) -> str:
    return json.dumps(
        {
            "topic": row.topic,
            "partition": row.partition,
            "offset": row.offset,
            "timestamp": row.appended_ms,
            "key": None if row.key is None else row.key.decode(errors="replace"),
            "value": None if row.value is None else row.value.decode(errors="replace"),
        }
    )
