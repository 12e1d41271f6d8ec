"""What is the same in every world: the group, the topics, and how rows are read."""

from typing import Final

from streaming.topics import inlets
from streaming.wire.decoding import Decoder
from trimtab.protocol import partition_of
from trimtab.session import incarnation

GROUP: Final = "billing"
PREFIX: Final = "t."
PARTITIONS: Final = 8
DECODER: Final = Decoder(inlets(PREFIX), PARTITIONS)
PARTITION: Final = partition_of(GROUP, PARTITIONS)
TOPICS: Final = ("orders", "payments")
"""What members subscribe."""
LIVES: Final = 1 << 12
"""More than any process lives."""


def first_life(start_ms: int, number: int) -> str:
    """Name the first life of a process: no later one of it has the name of another process's.

    Really that is 31 random bits. Here processes have numbers, and some start in one millisecond.
    """
    return incarnation(start_ms, number * LIVES)
