"""Supersession: of two controllers on the same topics the newer one goes on.

A new controller has written a start into every partition (``takeover``). The older one reads it,
and ends with that batch. The log decides which is newer, by the greater offset, never a clock.

Called by ``cell_operator`` in every batch. Its one rule: a task that has read a newer start
publishes nothing of that batch. Another task may: the newer controller finds that published, and
decides above it (``gate``).
"""

from collections.abc import Iterable, Sequence
from typing import Final

from streaming.wire.decoding import Decoder
from streaming.wire.rows import Row

TAKEN_OVER: Final = "another controller has taken over"
"""What an operator reads, once whatever Spark adds is taken away."""


class Superseded(Exception):  # noqa: N818 - it names what happened
    """A younger controller has started."""


def give_way(rows: Iterable[Row], decoder: Decoder, starts: Sequence[int]) -> None:
    """Stop if a younger controller has started.

    Args:
        rows: What was read.
        decoder: Who knows a start.
        starts: At which offset, by partition, this one has said that it starts; none, if it never
            did, as in a bench.

    Raises:
        Superseded: One has.
    """
    for row in rows if starts else ():
        if decoder.is_start(row) and row.offset > starts[row.partition]:
            raise Superseded(f"{TAKEN_OVER}: {row.topic}/{row.partition}@{row.offset}")
