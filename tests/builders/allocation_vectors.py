"""Golden vectors of RocketMQ's allocation, its order and its POP mode, as they are read."""

import json
from pathlib import Path
from typing import Any, Final

from rebalance.ids import Queue
from tests.builders.lines import Line

_VECTORS: Final = Path(__file__).parents[1] / "fixtures" / "vectors" / "rocketmq"


def read(name: str) -> list[Line]:
    """Read one file of vectors."""
    return [
        json.loads(text)
        for text in (_VECTORS / f"{name}.jsonl").read_text("ascii").split("\n")
        if text
    ]


ALLOCATE, ORDER, POP = read("allocate"), read("order"), read("pop")


def queues(written: list[list[Any]] | None) -> list[Queue] | None:
    """Read queues as they are written."""
    return None if written is None else [Queue(*each) for each in written]
