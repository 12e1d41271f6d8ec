"""Succession: of two controllers on the same topics the younger one goes on.

A change of the watch. Whoever comes on has said so in the log, in every partition (``takeover``);
whoever has the watch reads it, and ends with the batch in which it did, before any of that batch
is written. Who is younger is a matter of the log and never of a clock: the greater offset.

Called by ``cell_operator`` in every batch. Its one rule: nobody decides what was read together with
a younger one's start.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from streaming.decoding import Decoder
from streaming.rows import Row

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
