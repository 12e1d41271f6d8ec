"""A cell over a log, for tests: groups live in it, end and are forgotten, as is its checkpoint."""

from collections.abc import Iterable

from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import Folded, fold
from streaming.cell.hearing import CellRules
from streaming.startup.published import PublishedState
from streaming.wire.rows import Row
from tests.builders.log import Log, join, leave, route, rules
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
    GROUPS,
    MEMBERS,
    ROUTES,
    Forget,
    Group,
    decode,
    partition_of,
)

KEPT_MS = 60_000
SWEPT_S = 310
"""A leave is remembered for five minutes, and the group for no less."""
RULES = rules(Policy(strategy="AVG", keep_empty_ms=Millis(KEPT_MS)))


class Controller:
    """A cell over a log, and what it has published."""

    def __init__(self, rules: CellRules = RULES) -> None:
        self.log, self.cell, self.rules = Log(), Cell(), rules
        self.published: list[Record] = []
        self.past: list[Row] = []
        self.copy = self.cell
        self.now = 1_000
        self.starts = 0

    def reads(self) -> Folded:
        """One batch."""
        rows = self.log.read()
        self.past += [row for row in rows if row not in self.past]
        folded = fold(self.cell, rows, self.rules)
        self.cell = folded.cell
        self.published += folded.records
        return folded

    def lives(self, group: str) -> int:
        """Somebody comes, works and goes; return the token that it worked with."""
        self.now += 1_000
        member = f"m{self.now}"
        self.log.append(MEMBERS, group, join(member), at=self.now)
        self.log.append(ROUTES, group, route(version=self.now), at=self.now)
        self.log.tick(group, at=self.now)
        token = max(token for _, token in tokens(self.reads().records))
        self.log.append(MEMBERS, group, leave(member), at=self.now)
        self.reads()
        return token

    def forgets_by_command(self, group: str) -> None:
        """An operator has a group forgotten."""
        self.now += 1
        order = Forget(id=f"c{self.now}", principal="ann", reason="retired")
        self.log.append(COMMANDS, group, order, at=self.now)
        self.reads()

    def ticks(self, group: str, seconds: int) -> None:
        """Time goes by, tick by tick, a batch for each ten."""
        for _ in range(0, seconds, 10):
            for _ in range(10):
                self.now += 1_000
                self.log.tick(group, at=self.now)
            self.reads()

    def loses_its_checkpoint(self, copy: Cell | None = None, *, logged: bool = False) -> None:
        """Begin with what is published, and with an old copy, or what the log has, or nothing."""
        self.starts += 1
        board = PublishedState(f"{self.starts:013}-0b5e55ed")
        for record in self.published:
            if record.topic == "t.assignments":
                board.assignment(record.key, record.value)
            elif record.topic == "t.groups":
                board.summary(record.key, record.value)
        self.cell = copy or Cell()
        if logged:
            self.log.rows = [*self.past, *self.log.rows]
        for found in board.found():
            self.log.append(ROUTES, found.group, found.record, at=self.now)
            self.log.tick(found.group, at=self.now)


def tokens(records: Iterable[Record]) -> list[tuple[bytes | None, int]]:
    """Every grant's epoch, by the key of its record."""
    orders = [it for it in records if it.topic == "t.assignments" and it.value is not None]
    return [(it.key, grant.epoch) for it in orders for grant in decode(ASSIGNMENTS, it.value).hold]


def last_word(controller: Controller, group: str) -> Group:
    """What stands in ``groups``."""
    said = [it for it in controller.published if it.topic == "t.groups"]
    return decode(GROUPS, next(it.value for it in reversed(said) if it.key == group.encode()))


def neighbours(group: str, count: int) -> list[str]:
    """Names of the same partition, so of the same cell."""
    names = (f"g{number}" for number in range(10_000_000))
    place = partition_of(group, 8)
    found: list[str] = []
    while len(found) < count:
        if partition_of(name := next(names), 8) == place:
            found.append(name)
    return found
