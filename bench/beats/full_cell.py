"""The full cell: one full of groups at work, and what its members say next.

A controller has told what is published (nothing), its ticks run, everybody has joined and has shown
by a full beat what it owns. From then on each second brings a part of the members' beats.

Used by the command and its test. The members say what the SDK's members say.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

import pandas as pd
from pyspark.sql.streaming.state import GroupState

from bench.frames import batches, frames
from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy
from sinks import Record as Published
from streaming.cell_operator import CellOperator
from streaming.wire.rows import Row
from trimtab.protocol import (
    ASSIGNMENTS,
    DEFAULT_PREFIX,
    HEARTBEATS,
    MEMBERS,
    ROUTES,
    TICK_KEY,
    TOLD_KEY,
    Assignment,
    Beat,
    GrantRef,
    Join,
    Record,
    Route,
    RunRef,
    Tick,
    Told,
    Topic,
    decode,
    encode,
)

START: Final = "1767225600000-0b5e55ed"
_BEGIN_MS: Final = 1_767_225_600_000
_INCARNATION: Final = "1767225600000-9f86d081"


@dataclass
class Remembered(GroupState):
    """Spark's state handle, as far as the operator uses it."""

    kept: bytes | None = None
    written: int = 0
    """Bytes, over all batches."""

    @property
    def exists(self) -> bool:
        """Say whether there is a state."""
        return self.kept is not None

    @property
    def get(self) -> tuple[bytes]:
        """Return it."""
        assert self.kept is not None
        return (self.kept,)

    def update(self, newValue: tuple[bytes]) -> None:  # noqa: N803 - Spark's name
        """Remember it."""
        (self.kept,) = newValue
        self.written += len(self.kept)


@dataclass
class FullCell:
    """A cell, its members, and the log that they write."""

    groups: int
    members: int = 10
    queues: int = 10
    operator: CellOperator = field(init=False)
    state: Remembered = field(default_factory=Remembered)
    epochs: dict[tuple[str, str], int] = field(default_factory=dict)
    _owned: dict[tuple[str, str], tuple[GrantRef, ...]] = field(default_factory=dict)
    _offsets: dict[str, Iterator[int]] = field(default_factory=dict)
    _second: int = 0

    def __post_init__(self) -> None:
        """Begin, and let everybody come."""
        self.operator = CellOperator(
            DEFAULT_PREFIX, 1, Policy(), VerdictPolicy(), told=(0,), starts=(-1,), start=START
        )
        self._begin()
        for _ in range(3):  # the first shows what each owns, the second that it has read
            self.fold(self.second(one_in=1))

    def _begin(self) -> None:
        names = [
            (f"group-{group}", f"member-{each}")
            for group in range(self.groups)
            for each in range(self.members)
        ]
        told = [
            Told(controller="bench", start=START, whole=False),
            Told(controller="bench", start=START, whole=True, counts=(0,)),
        ]
        rows = [self._row(ROUTES, TOLD_KEY, it) for it in told]
        for name, member in names:
            join = Join(member=member, incarnation=_INCARNATION, sequence=1, topics=("orders",))
            rows.append(self._row(MEMBERS, name.encode(), join))
        for group in range(self.groups):
            runs = (RunRef("", 0, self.queues),)
            route = Route(topic="orders", version=1, exists=True, runs=runs)
            rows.append(self._row(ROUTES, f"group-{group}".encode(), route))
        rows += [self._tick(None), self._tick(0)]
        for record in self.fold(rows):
            self._obey(record)
        assert len(self.epochs) == len(names), "everybody was told what it owns"

    def _obey(self, published: Published) -> None:
        if published.topic != f"{DEFAULT_PREFIX}{ASSIGNMENTS.name}":
            return
        told: Assignment = decode(ASSIGNMENTS, published.value)
        self.epochs[told.group, told.member] = told.epoch
        self._owned[told.group, told.member] = tuple(
            GrantRef(*it.queue, it.epoch) for it in told.hold
        )

    def second(self, one_in: int = 3) -> list[Row]:
        """Return what a second brings: a tick, and the beats of one in so many members."""
        self._second += 1
        full = self._second == 1
        rows = []
        for place, ((group, member), epoch) in enumerate(self.epochs.items()):
            if (place + self._second) % one_in == 0:
                owned = self._owned[group, member] if full else None
                beat = Beat(
                    member=member,
                    incarnation=_INCARNATION,
                    sequence=self._second + 1,
                    epoch=epoch,
                    owned=owned,
                )
                rows.append(self._row(HEARTBEATS, group.encode(), beat))
        return [*rows, self._tick(self._second)]

    def _tick(self, seen: int | None) -> Row:
        number = next(self._offsets.setdefault("ticks", count()))
        tick = Tick(controller="bench", number=number, start=START, seen=seen)
        return self._row(HEARTBEATS, TICK_KEY, tick)

    def _row(self, topic: Topic[Any], key: bytes, record: Record) -> Row:
        offset = next(self._offsets.setdefault(topic.name, count(1)))
        value, at = encode(record), _BEGIN_MS + 1000 * self._second
        return Row(f"{DEFAULT_PREFIX}{topic.name}", 0, offset, at, key, value, len(value))

    def fold(self, rows: list[Row]) -> list[Published]:
        """Fold one batch, as Spark has it done."""
        return self.fold_frames(frames(batches(rows)))

    def fold_frames(self, given: list[pd.DataFrame]) -> list[Published]:
        """Fold one batch of frames."""
        found = self.operator((0,), iter(given), self.state)
        return [Published._make(it) for frame in found for it in frame.itertuples(index=False)]
