"""The topics that the controller reads, in two classes: urgent and routine.

A join, a leave, a release, a route or a command is read at once. Beats and producers' reports are
many and say little, so they are read together, once a second. If all were one source, each beat
would start a batch of its own and urgent records would wait behind it.

RocketMQ's clients say the urgent and the routine in one record, every 30 s; it counts as routine,
and comes by the same source as the ticks that prove silence.

Read by ``pipeline`` and, in the workers, by ``hearing``. Every topic here has the same number of
partitions, and is keyed by group or by cluster, or else goes to every cell.
"""

from collections.abc import Mapping
from typing import Any, Final

from trimtab.protocol import (
    COMMANDS,
    HEARTBEATS,
    LATENCY,
    MEMBERS,
    RELEASES,
    ROCKETMQ,
    ROUTES,
    Topic,
)

URGENT: Final[tuple[Topic[Any], ...]] = (MEMBERS, RELEASES, ROUTES, COMMANDS)
ROUTINE: Final[tuple[Topic[Any], ...]] = (HEARTBEATS, LATENCY, ROCKETMQ)
START_ANEW: Final = (
    "stop all members and start again under another topics.prefix, where tokens begin anew "
    "(docs/operate.md)"
)
"""What is left to do where topics have other partitions than groups need."""


def names(prefix: str, topics: tuple[Topic[Any], ...]) -> list[str]:
    """Return the names of topics on the cluster."""
    return [f"{prefix}{topic.name}" for topic in topics]


def inlets(prefix: str) -> Mapping[str, Topic[Any]]:
    """Return every topic that the controller reads by its name on the cluster."""
    return {f"{prefix}{topic.name}": topic for topic in (*URGENT, *ROUTINE)}
