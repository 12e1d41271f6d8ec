"""The floor's state function: it counts its rows, and echoes the urgent ones.

What any state function costs, and nothing else: the frames come into Python, the state is read and
written, and one row for each urgent row goes to the sink. It decodes nothing and decides nothing.

Spark pickles a ``Tally`` into each task, in the place where trimtab has its ``CellOperator``. Its
one rule: it does only what every pipeline has to do.
"""

import gc
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import pandas as pd
from pyspark.sql.streaming.state import GroupState

from sinks import Record

_COUNT_BYTES: Final = 8


@dataclass(frozen=True)
class Tally:
    """Counts the rows of one cell."""

    routine: tuple[str, ...]
    """The topics whose rows are only counted."""
    assignments: str
    """The topic where the others are echoed, in the partition and under the key that they had."""

    def __call__(
        self, _cell: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        """Count what is new in one cell; called by Spark, once a batch for each cell with rows."""
        gc.freeze()  # or PySpark looks through all modules after each task; trimtab does it, too
        (remembered,) = state.get if state.exists else (bytes(_COUNT_BYTES),)
        count = int.from_bytes(remembered, "big")
        for frame in frames:
            count += len(frame)
            urgent = frame[~frame["topic"].isin(self.routine)]
            if len(urgent):
                echo = urgent.assign(topic=self.assignments, headers=None)
                yield echo[list(Record._fields)]
        state.update((count.to_bytes(_COUNT_BYTES, "big"),))
