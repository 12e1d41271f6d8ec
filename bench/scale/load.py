"""What is played: how many members beat, in groups of which size, and what happens meanwhile.

Chosen by the command; played by ``scenes``.
"""

from dataclasses import dataclass
from enum import StrEnum

from bench.scale.members import Kind


class Scene(StrEnum):
    """What happens meanwhile."""

    STEADY = "steady"
    """Nothing: members beat."""
    NEIGHBOUR = "neighbour"
    """Somebody else takes a core for a minute, from a third of the time on."""
    ROLLING = "rolling"
    """Everybody restarts once, one after the other, as a static member."""
    IDLE = "idle"
    """No member beats and nobody asks; there are only the controller's own ticks."""
    SOAK = "soak"
    """Members leave and come again all the while; what grows is shown as a slope."""
    BACKLOG = "backlog"
    """The pipeline is frozen all the while, beats go on, and then it catches up."""


@dataclass(frozen=True, slots=True)
class Load:
    """How much."""

    members: int
    size: int
    """Of a group."""
    queues: int
    """Of a group."""
    interval_s: float
    seconds: float
    kind: Kind = Kind.SDK

    @property
    def blocks(self) -> int:
        """How many times as many members there are as one group has: each block its own groups."""
        return self.members // self.size

    @property
    def rate(self) -> float:
        """Beats a second."""
        return self.members / self.interval_s
