"""Spark's logs of its batches: the names of the files of a checkpoint, and what they say.

``offsets`` has a file for each batch that was planned, ``commits`` one for each that is done, and
``sources`` where the first began. Used by ``checkpoint``, ``damage`` and `trimtab recover`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from rebalance.clock import Log

OFFSETS: Final = "offsets"
COMMITS: Final = "commits"
SOURCES: Final = "sources"
TERMS: Final = "trimtab.json"
"""Our own."""
NEW_TERMS: Final = f".{TERMS}.new"
"""The same while it is written."""
MOVED: Final = re.compile(r"\.at-\d{13}-[0-9a-f]{8}$")
"""Behind the name of a checkpoint: the start of the standby that took it over last."""


def positions_in(text: str) -> dict[Log, int]:
    """Read the positions in a file of Spark's: a line of JSON for each source of Kafka's."""
    found: dict[Log, int] = {}
    for topics in _objects(text):
        for topic, partitions in topics.items():
            if isinstance(partitions, dict):  # the first line may be of the batch itself
                found |= {(topic, int(it)): at for it, at in partitions.items() if it.isdecimal()}
    return found


def frozen_options(text: str) -> dict[str, str]:
    """Read the options of Spark's that a file of a batch names."""
    return next((dict(it["conf"]) for it in _objects(text) if "conf" in it), {})


def _objects(text: str) -> list[Mapping[str, Any]]:
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines]
