"""What is the same in every world: the group, the topics, and how rows are read."""

from typing import Final

from streaming.topics import inlets
from streaming.wire.decoding import Decoder
from trimtab.protocol import partition_of

GROUP: Final = "billing"
PREFIX: Final = "t."
PARTITIONS: Final = 8
DECODER: Final = Decoder(inlets(PREFIX), PARTITIONS)
PARTITION: Final = partition_of(GROUP, PARTITIONS)
TOPICS: Final = ("orders", "payments")
"""What members subscribe."""
