"""How a consumer is: for the probes of whatever runs the process.

A readiness probe asks `ready`; a liveness probe may compare `since_poll` with what a message may
take. Made by `Consumer`. It is a value, of the moment at which it was asked for.
"""

from dataclasses import dataclass

from trimtab.engine import State
from trimtab.protocol import QueueRef


@dataclass(frozen=True, slots=True)
class Health:
    """The answer to a probe."""

    ready: bool
    """Whether it has its place in the group, and its loop comes back in time."""
    state: State
    queues: tuple[QueueRef, ...]
    """What it owns."""
    since_poll: float
    """Seconds since the loop last asked for a message, to the second."""
    last_error: Exception | None
    """The last trouble that was reported; it may have passed."""
    since_error: float | None = None
    """Seconds since it was reported."""
