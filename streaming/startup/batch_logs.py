"""Spark's logs of its batches: the names of the files of a checkpoint, and what they say.

``offsets`` has a file for each batch that was planned, ``commits`` one for each that is done, and
``sources`` where the first began. Used by ``checkpoint``, ``damage`` and `trimtab recover`.
"""

import json
import re
from collections.abc import Iterable, Mapping
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
_ASIDE: Final = re.compile(r"\.(?P<ms>\d{13})-[0-9a-f]{8}$")
"""Behind that: the start that set it aside for a new one."""
_KEPT: Final = 3
_YOUNG_MS: Final = 3_600_000
"""So many that were set aside are kept, and all of the last hour before a start."""


def superfluous(names: Iterable[str], first: str, start: str) -> list[str]:
    """Name the checkpoints that were set aside so long ago that nobody will look at them.

    Args:
        names: All that is there.
        first: How this controller's checkpoint is called, before a standby takes it over.
        start: The one that asks.
    """
    aside = sorted(
        (int(it["ms"]), name)
        for name in names
        if (it := _ASIDE.search(name)) and MOVED.sub("", name[: it.start()]) == first
    )
    latest = int(start[:13]) - _YOUNG_MS
    return [name for ms, name in aside[:-_KEPT] if ms < latest]


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
