"""Places: under which number a cell is dealt, so that each task of a batch gets as many.

Spark deals cells to the tasks that fold them by the hash of a number. Of 32 cells in the order of
their indices it would give 12 to one of two tasks, and 20 to the other, which all wait for. So a
cell is dealt under the first number of its own whose hash belongs to the task that is its turn. The
numbers of a cell are its index, and every ``cells`` more: so a number tells which cell it is. With
one task each cell has its index.

Used by ``pipeline``. Its one rule: tasks differ by one cell at most.
"""

from itertools import count
from typing import Final

from streaming.wire.slots import slot_of

TASKS: Final = "spark.sql.shuffle.partitions"
"""Spark's option for how many tasks fold the cells of a batch. A checkpoint freezes it."""
_INT_BYTES: Final = 4
"""Spark hashes an int as its four bytes."""


def places(cells: int, tasks: int) -> list[int]:
    """Return the number of each cell."""
    return [
        next(it for it in count(cell, cells) if task_of(it, tasks) == cell % tasks)
        for cell in range(cells)
    ]


def task_of(place: int, tasks: int) -> int:
    """Return to which of so many tasks Spark deals a number."""
    return slot_of(place.to_bytes(_INT_BYTES, "little"), tasks)
