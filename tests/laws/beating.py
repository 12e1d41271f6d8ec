"""Groups that beat in one cell, and whatever else may be in their log: a small controller's world.

Each second everybody beats and the controller ticks, a few other things happen, and the members do
what they are told. What they are told comes from the plain fold, so that what they say makes sense.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from streaming.cell.codec import Cell
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT
from streaming.wire.rows import Row
from tests.builders.log import PARTITIONS, PREFIX, Log, join, route, rules
from trimtab.protocol import (
    ASSIGNMENTS,
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
    TICK_KEY,
    TOLD_KEY,
    Beat,
    Release,
    ReleaseRef,
    Tick,
    Told,
    decode,
    encode,
    partition_of,
)

BEGUN_MS: Final = 1_767_225_600_000
SECONDS: Final = 24
START: Final = "1767225600000-0b5e55ed"
LIVES: Final = ("1767225600000-9f86d081", "1767225700000-9f86d082")
NAMES: Final = [
    name
    for name in map("group-{}".format, range(99))
    if partition_of(name, PARTITIONS) == partition_of("group-0", PARTITIONS)
][:3]
PLACE: Final = partition_of("group-0", PARTITIONS)
MEMBERS_OF_EACH: Final = "abc"
RULES: Final = rules(
    Policy(
        strategy="AVG",
        session_timeout_ms=Millis(6_000),
        session_timeout_ms_min=Millis(6_000),
        max_clock_step_ms=Millis(1_200),
        blast_hold_ms=Millis(6_000),
        blast_members=2,
        route_damping_ms=Millis(2_000),
        heartbeat_auto=True,
    )
)

Who = tuple[str, str]


@dataclass
class Worker:
    """A member that beats each second, and does what it is told at once."""

    group: str
    name: str
    life: int = 0
    epoch: int = 0
    number: int = 1
    silent_until: int = 0
    deaf: bool = False
    sent: list[bytes] = field(default_factory=list)
    """All its beats of this life."""

    def beat(self, epoch: int | None = None) -> bytes:
        """Say that it is there."""
        self.number += 1
        beat = Beat(
            member=self.name,
            incarnation=LIVES[self.life],
            sequence=self.number,
            epoch=self.epoch if epoch is None else epoch,
        )
        self.sent.append(encode(beat))
        return self.sent[-1]


@dataclass
class World:
    """Groups of one cell, and the log that they and their controller write."""

    log: Log = field(default_factory=Log)
    workers: dict[Who, Worker] = field(default_factory=dict)
    at: int = BEGUN_MS
    skew: int = 0
    seconds: list[list[Row]] = field(default_factory=list)
    _cell: Cell = field(default_factory=lambda: Cell(gate=SHUT))
    _ticks: Iterator[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        """A controller starts, and everybody joins."""
        self._tell(whole=False)
        self._tell(whole=True)
        for group in NAMES:
            for name in MEMBERS_OF_EACH:
                self.workers[group, name] = Worker(group, name)
                self.join((group, name))
            self.log.append(ROUTES, group, route(queues=4), at=self.at)
        self.tick(None)
        self.tick(0)
        self.ends()

    def _tell(self, *, whole: bool) -> None:
        record = Told(controller="c", start=START, whole=whole, counts=(0,) if whole else None)
        self.log.append(ROUTES, TOLD_KEY, record, at=self.at, partition=PLACE)

    def tick(self, seen: int | None) -> None:
        """The controller ticks."""
        tick = Tick(controller="c", number=next(self._ticks), start=START, seen=seen)
        self.says(TICK_KEY, encode(tick))

    def says(self, key: bytes, value: bytes) -> None:
        """Append to the heartbeats."""
        self.log.append(HEARTBEATS, key, value, at=self.at + self.skew, partition=PLACE)

    def join(self, who: Who, life: int = 0) -> None:
        """Somebody joins."""
        record = join(who[1], incarnation=LIVES[life], session_timeout_ms=6_000)
        self.log.append(MEMBERS, who[0], record, at=self.at)

    def second(self, number: int, happenings: "Sequence[Callable[[World, int], None]]") -> None:
        """Live through a second."""
        self.at += 1_000
        self.skew = 0
        middle = len(happenings) // 2
        for happening in happenings[:middle]:
            happening(self, number)
        self.tick(number)
        for worker in self.workers.values():
            if number >= worker.silent_until:
                self.says(worker.group.encode(), worker.beat())
        for happening in happenings[middle:]:
            happening(self, number)
        self.ends()

    def ends(self) -> None:
        """Read the second, and do what was said in it: that is in the next one."""
        rows = self.log.read()
        self.seconds.append(rows)
        folded = fold(self._cell, rows, RULES)
        self._cell = folded.cell
        for record in folded.records:
            if record.topic == f"{PREFIX}{ASSIGNMENTS.name}" and record.value is not None:
                told = decode(ASSIGNMENTS, record.value)
                worker = self.workers.get((told.group, told.member))
                heard = worker is not None and told.incarnation == LIVES[worker.life]
                if worker is not None and heard and not worker.deaf:
                    worker.epoch = told.epoch
                    given = tuple(ReleaseRef(*it.queue, it.epoch, it.next) for it in told.give)
                    if given:
                        release = Release(
                            member=told.member,
                            incarnation=told.incarnation,
                            sequence=1,
                            queues=given,
                        )
                        self.log.append(RELEASES, told.group, release, at=self.at)
