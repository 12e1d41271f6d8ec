"""The operator: between Spark's data frames and the cell's values.

Frames come in and become rows, remembered bytes become a cell; the cell folds; and everything goes
back the same way. All frames are read before the fold, because events must be put in order first.
There is no decision here and no error handling: an exception fails the batch, and Spark runs it
again from the same offsets.

Spark pickles a ``CellOperator`` into each task, so it holds a few plain values and makes the rules
from them in the worker. Its one rule: nothing here knows what the bytes mean.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any, Final

import numpy as np
import pandas as pd
from pyspark.sql.streaming.state import GroupState

from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy
from sinks import Record
from sinks.deadletters import dead_letter_records
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import Folded, fold
from streaming.cell.gate import SHUT, Opening
from streaming.cell.hearing import CellRules
from streaming.metrics.tally import NO_TOPIC, tallied
from streaming.startup.supersession import give_way
from streaming.wire.beats import COLUMNS, NO_NUMBER, Beats, beats_of
from streaming.wire.rocketmq import CellPlace
from streaming.wire.rows import Row

_GARBAGE: Final = 100_000
"""New objects between two looks for cycles. A fold makes that many values, nearly all without any,
and Python's 700 let a large batch spend a third of its time looking (`bench.faults`)."""

_LOOKED_THROUGH_EVERY: Final = 2_000
"""Calls between two looks at everything: of eight cells at four batches a second, a minute."""
_calls: Final = count(1)

_COLUMNS: Final = list(Record._fields)

_FIRST: Final = np.zeros(1, dtype=int)

StateFunction = Callable[[Any, Iterator[pd.DataFrame], GroupState], Iterator[pd.DataFrame]]
"""What Spark calls: with a key, the new frames and the remembered state."""


@dataclass(frozen=True)
class CellOperator:
    """Folds the rows of one cell."""

    prefix: str
    partitions: int
    policy: Policy
    verdicts: VerdictPolicy
    slots: int = 1
    """How many cells share a partition."""
    starts: tuple[int, ...] = ()
    """Where this controller has said that it starts, by partition (``supersession``)."""
    told: tuple[int, ...] = ()
    """Where it has begun to tell what is published (``gate``)."""
    start: str = ""
    """What that start is called."""
    rules_differ: bool = False
    """What it repeats may have been decided under other settings, or by another release."""

    def __call__(
        self, place: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        """Fold what is new in one cell; called by Spark, once a batch for each cell with rows."""
        rules = _rules(self)
        _keep_from_the_collector()
        read_rows, beats = _read(frames, rules.decoder.heartbeats)
        rows = [it for it in read_rows if not rules.decoder.is_stray(it)]
        give_way(rows, rules.decoder, self.starts)
        records = _stray_records(read_rows, rules) if len(rows) < len(read_rows) else []
        decided: Sequence[Row] = ()
        if rows or beats is not None:
            index = int(place[0]) % (self.partitions * self.slots)  # as ``places`` deals it
            folded = self._fold(index, state, rows, beats)
            records, decided = [*folded.records, *records], folded.rows
        if records:
            earliest = [] if beats is None else beats.rows(_FIRST)
            tally = tallied(records, [*read_rows, *earliest], self.prefix, decided)
            yield pd.DataFrame([*records, (NO_TOPIC, 0, b"", tally, ())], columns=_COLUMNS)

    def _fold(self, index: int, state: GroupState, rows: list[Row], beats: Beats | None) -> Folded:
        """Fold rows of this cell, and remember what it is then."""
        here, rules = CellPlace(*divmod(index, self.slots), self.slots), _rules(self)
        (remembered,) = state.get if state.exists else (None,)
        cell = self._new() if remembered is None else read(remembered)
        opening = Opening()
        if self.told:
            opening = Opening(self.start, self.told[here.partition], self.rules_differ)
        folded = fold(cell, rows, rules.at(here, opening), beats)
        state.update((write(folded.cell),))
        return folded

    def _new(self) -> Cell:
        """Return a cell that remembers nothing; a controller's waits for what it is told."""
        return Cell(gate=SHUT) if self.told else Cell()


def _stray_records(rows: Iterable[Row], rules: CellRules) -> list[Record]:
    """Set aside what no cell has."""
    letters = [rules.decoder.stray(it) for it in rows if rules.decoder.is_stray(it)]
    return [it for letter in letters for it in dead_letter_records(letter, rules.outlet)]


def _read(frames: Iterable[pd.DataFrame], heartbeats: str) -> tuple[list[Row], Beats | None]:
    """Turn frames into rows, column by column, and records that have a fingerprint into columns."""
    rows = list[Row]()
    fingerprinted = list[pd.DataFrame]()
    for frame in frames:
        numbered = (frame["number"] != NO_NUMBER).to_numpy()
        others = frame[~numbered]
        rows += map(Row._make, zip(*(others[name].tolist() for name in Row._fields), strict=True))
        if numbered.any():
            fingerprinted.append(frame[numbered])
    if not fingerprinted:
        return rows, None
    columns = [np.concatenate([it[name].to_numpy() for it in fingerprinted]) for name in COLUMNS]
    return rows, beats_of(heartbeats, int(fingerprinted[0]["partition"].iloc[0]), columns)


@lru_cache(1)
def _rules(operator: CellOperator) -> CellRules:
    """Make the rules once in the life of a worker, and get it ready for its kind of work."""
    gc.set_threshold(_GARBAGE)
    return CellRules.of(operator.prefix, operator.partitions, operator.policy, operator.verdicts)


def _keep_from_the_collector() -> None:
    """Take all that is alive out of the next looks for cycles, but now and then.

    PySpark looks through everything after each task: through modules, which stay, for 50 ms, and
    through the groups in the caches for 0.2 s where there are 10,000 members, two thirds of a core.
    It has just looked, so what is alive is no garbage. What a task still makes into some is found
    when all is looked through.
    """
    if next(_calls) % _LOOKED_THROUGH_EVERY == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()
