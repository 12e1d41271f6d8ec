"""What can happen in the demo, as values: the story is made of them, the stage performs them.

Kept apart from both so that the story can be read, and tested, without a process.
"""

from dataclasses import dataclass
from typing import Final

CONTROLLER: Final = "controller"
PRODUCER: Final = "producer"
"""Two processes of the demo; every other name is a member's."""


@dataclass(frozen=True, slots=True)
class Start:
    """Processes start: members join, the controller reads on from its checkpoint."""

    processes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stop:
    """SIGTERM: a process ends in good order."""

    process: str


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL: a process is gone without a word."""

    process: str


Act = Start | Stop | Kill
