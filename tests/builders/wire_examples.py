"""Golden records: what was on the wire once, and must be read, or refused, for ever.

One file per topic under `tests/fixtures/protocol/v1`, one record a line: `wire` as it was written,
`again` as it is written back, where that differs. Lines are added, never changed or removed. The
bad ones are in `bad.jsonl`, each with its reason and a part of the detail.
"""

import json
from pathlib import Path
from typing import NamedTuple

from trimtab.protocol import TOPICS

FOLDER = Path(__file__).parents[1] / "fixtures" / "protocol"


class Golden(NamedTuple):
    """One record of a topic."""

    topic: str
    case: str
    wire: str
    again: str

    def __str__(self) -> str:
        """Name the test."""
        return f"{self.topic}: {self.case}"


def golden() -> list[Golden]:
    """Every golden record."""
    ours = [name for name, topic in TOPICS.items() if topic.kinds]
    rows = [(topic, row) for topic in ours for row in _lines(FOLDER / "v1" / f"{topic}.jsonl")]
    return [
        Golden(topic, row["case"], row["wire"], row.get("again", row["wire"]))
        for topic, row in rows
    ]


class Bad(NamedTuple):
    """One record that must be refused."""

    line: int
    topic: str
    value: bytes
    reason: str
    detail: str

    def __str__(self) -> str:
        """Name the test."""
        return f"bad.jsonl:{self.line}: {self.topic}"


def bad() -> list[Bad]:
    """Every bad record that is short enough to be written down."""
    return [
        Bad(
            line,
            row["topic"],
            bytes.fromhex(row["hex"]) if "hex" in row else row["wire"].encode(),
            row["reason"],
            row["detail"],
        )
        for line, row in enumerate(_lines(FOLDER / "bad.jsonl"), start=1)
    ]


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
