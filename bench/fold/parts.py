"""The parts of a fold, each as something that can be called again and again.

The yardstick is the parsing of one beat's JSON by the standard library: whoever receives beats in
Python pays at least that, on any machine. Each other part is given as a multiple of it.

Timed by the command. Calling a part twice does the same work twice.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
from pyspark.sql.streaming.state import GroupState

from bench.floor.tally import Tally
from bench.fold.prepared import POLICY, RULES, Prepared, prepared
from bench.frames import framed
from bench.populations import BACKGROUND
from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.events import Moment
from rebalance.groups.step import step
from rebalance.ids import GroupName
from rebalance.stamp import Stamp
from streaming.cell.codec import read, write
from streaming.cell.fold import fold
from streaming.cell.hearing import hear
from streaming.cell.packed import pack, unpack
from streaming.cell_operator import CellOperator, StateFunction
from streaming.wire.rows import Row
from trimtab.protocol import ASSIGNMENTS, DEFAULT_PREFIX, HEARTBEATS


class Part(NamedTuple):
    """Something to time: ``times`` things of the kind ``per`` are done in one call."""

    name: str
    title: str
    per: str
    times: int
    call: Callable[[], object]


@dataclass
class Remembered(GroupState):
    """Spark's state handle, as far as a state function uses it."""

    bytes_of_state: bytes

    @property
    def exists(self) -> bool:
        """Say that there is a state."""
        return True

    @property
    def get(self) -> tuple[bytes]:
        """Return it."""
        return (self.bytes_of_state,)

    def update(self, newValue: object) -> None:  # noqa: N803 - Spark's name
        """Forget it: the next call starts from the same state."""


def parts(*, small: int = 50, large: int = 2_000) -> Iterator[Part]:
    """Return what there is to time, from the inside out; cells of so many groups."""
    few, many = prepared(small), prepared(large)
    beat = few.beats[0]
    assert beat.value is not None
    text = beat.value
    yield Part("parse", "yardstick: json.loads", "beat", 1, lambda: json.loads(text))
    yield from _brain(few)
    yield from _folds(few, small)
    yield from _folds(many, large)
    yield from _operators(few)


def _brain(few: Prepared) -> Iterator[Part]:
    name = GroupName(BACKGROUND[0])
    packed = few.cell.groups.by_name()[name]
    state = unpack(packed)
    stamp, events = _heard(few, few.beats, name)
    joined, join = _heard(few, few.trial, name)
    beat, place = few.beats[0], stamp
    members = len(events)
    yield Part("decode", "decode and check", "beat", 1, lambda: RULES.decoder.read(beat, place))
    yield Part(
        "step",
        "step: each member beats",
        "beat",
        members,
        lambda: step(state, events, stamp, POLICY, RULES.allocator),
    )
    yield Part(
        "step_join",
        "step: one joins, 16 queues are dealt anew",
        "join",
        1,
        lambda: step(state, join, joined, POLICY, RULES.allocator),
    )
    yield Part("packed", "unpack and pack", "group", 1, lambda: pack(unpack(packed), state, packed))


def _folds(few: Prepared, groups: int) -> Iterator[Part]:
    def of(rows: list[Row]) -> Callable[[], object]:
        return lambda: write(fold(read(remembered), rows, RULES).cell)

    remembered = write(few.cell)
    title = f"a batch in a cell of {groups:,} groups"
    yield Part(f"fold_{groups}", f"{title}: all beat", "beat", len(few.beats), of(few.beats))
    yield Part(f"join_{groups}", f"{title}: one joins", "batch", 1, of(few.trial))
    yield Part(f"tick_{groups}", f"{title}: a tick, nobody is due", "batch", 1, of(few.tick))


def _operators(few: Prepared) -> Iterator[Part]:
    """The two state functions of the floor bench, on the frame of one urgent record."""
    frame = framed(few.trial)
    operator = CellOperator(DEFAULT_PREFIX, 1, POLICY, VerdictPolicy())
    tally = Tally((f"{DEFAULT_PREFIX}{HEARTBEATS.name}",), f"{DEFAULT_PREFIX}{ASSIGNMENTS.name}")
    cell, count = Remembered(write(few.cell)), Remembered(bytes(8))
    one_joins = "the operator, from frame to frame: one joins"
    yield Part("operator", one_joins, "batch", 1, lambda: _called(operator, frame, cell))
    the_same = "the floor's state function, on the same frame"
    yield Part("tally", the_same, "batch", 1, lambda: _called(tally, frame, count))


def _called(function: StateFunction, frame: pd.DataFrame, state: GroupState) -> object:
    return list(function((0,), iter([frame]), state))


def _heard(few: Prepared, rows: list[Row], group: GroupName) -> tuple[Stamp, list[Moment]]:
    heard = hear(few.cell.clock, rows, RULES)
    return heard.now, heard.moments(group)
