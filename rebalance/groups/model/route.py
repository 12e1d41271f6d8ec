"""A route: the queues of one topic, as last observed, and what is not believed of it yet.

Written by ``routing``.
"""

from dataclasses import dataclass
from typing import Final

from rebalance.ids import Millis, Queue
from rebalance.racks import RackRun

NO_ID: Final = "A" * 22
"""What Kafka before 2.8 calls each topic: sixteen zeros, in base64. It tells no two apart."""


@dataclass(frozen=True, slots=True)
class Route:
    """The queues of one topic as last observed."""

    version: int
    """The number that its source gave it: a newer route has a greater one."""
    exists: bool
    """Whether there is such a topic."""
    queues: tuple[Queue, ...]
    """Those for which the group has room."""
    generation: str = ""
    """Which topic of that name, if anybody could tell."""
    left_out: int = 0
    """How many more queues it has, for which the group has no room (``extent``)."""
    racks: tuple[RackRun, ...] = ()
    """Where replicas of its queues stand, as far as somebody could tell."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What a topic is said to be like, and is not believed yet: it would lose queues."""

    route: Route
    """What is said."""
    since: Millis
    """When it was first said, on the log clock."""
    confirmed: bool = False
    """It was said again."""
