"""The activation: how a controller begins to be the active one.

Made by ``start``, or for a standby by ``standing_by``; used by ``query``, which begins again
with another start when a try has failed.
"""

from typing import NamedTuple

from streaming.startup.delivery import StartWriter
from streaming.startup.reading import Following


class Activation(NamedTuple):
    """What it begins with."""

    start: str
    starts: tuple[int, ...]
    """Where it has said so, by partition."""
    checkpoint: str
    writer: StartWriter | None
    """What it has announced itself with; None: a later try opens its own."""
    following: Following | None = None
    """What a standby has read of what is published."""
    persists: bool = False
    """Whether it tries on although it never worked: so did the one that it came after."""
