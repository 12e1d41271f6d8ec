"""Groups that nobody is in: what is left of them, and where they begin again."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rebalance.ids import GroupName, Millis
from rebalance.policy import Policy
from sinks import Record
from streaming.cell import Folded, Rules, fold
from streaming.codec import Cell, open_drawers, write
from streaming.noticeboard import Noticeboard
from streaming.rows import Row
from tests.unit.streaming.log import Log, beat, join, leave, route, rules
from trimtab.protocol import (
    ASSIGNMENTS,
    COMMANDS,
    GROUPS,
    HEARTBEATS,
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

    def __init__(self, rules: Rules = RULES) -> None:
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

    def forgets_by_order(self, group: str) -> None:
        """An operator orders that a group be forgotten."""
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
        board = Noticeboard(f"{self.starts:013}-0b5e55ed")
        for record in self.published:
            if record.topic == "t.assignments":
                board.orders(record.key, record.value)
            elif record.topic == "t.groups":
                board.summary(record.key, record.value)
        self.cell = copy or Cell()
        if logged:
            self.log.rows = [*self.past, *self.log.rows]
        for notice in board.notices():
            self.log.append(ROUTES, notice.group, notice.record, at=self.now)
            self.log.tick(notice.group, at=self.now)


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


@pytest.mark.parametrize("lost", [False, True], ids=["remembered", "checkpoint lost"])
@pytest.mark.parametrize("end", ["empty", "swept", "forgotten", "forgotten and swept"])
def test_tokens_go_on_growing(*, lost: bool, end: str) -> None:
    """However a group ended, and whatever was lost since: a store's highest token stays behind."""
    controller = Controller()
    before = max(controller.lives("billing") for _ in range(2))
    if "forgotten" in end:
        controller.forgets_by_order("billing")
    if "swept" in end:
        controller.ticks("billing", seconds=SWEPT_S)
        assert {} == open_drawers(controller.cell)
    if lost:
        controller.loses_its_checkpoint()

    assert controller.lives("billing") > before


def test_what_was_forgotten_is_said_to_be_empty_and_at_which_epoch() -> None:
    """A tombstone would say that it never was."""
    controller = Controller()
    token = controller.lives("billing")
    controller.forgets_by_order("billing")
    word = last_word(controller, "billing")

    assert ("empty", 0, {}) == (word.state, word.members, dict(word.topics))
    assert word.epoch > token
    assert "command" == word.cause.kind


def test_a_new_name_begins_above_all_that_was_swept() -> None:
    """So that one number is enough for the names that a cell has forgotten."""
    controller = Controller()
    one, other = neighbours("billing", 2)
    highest = max(controller.lives(one) for _ in range(5))
    controller.ticks(one, seconds=SWEPT_S)

    assert {} == open_drawers(controller.cell)
    assert controller.lives(other) > highest


def test_an_empty_group_found_published_is_one_number() -> None:
    """Names that were seen a year ago cost a start neither state nor records."""
    controller = Controller()
    names = neighbours("billing", 20)
    tokens = {name: controller.lives(name) for name in names}
    controller.loses_its_checkpoint()
    folded = controller.reads()

    assert ({}, []) == (open_drawers(folded.cell), folded.records)
    assert all(controller.lives(name) > token for name, token in tokens.items())


def test_an_old_copy_of_the_checkpoint_takes_nothing_back() -> None:
    """What began, ended and was swept after the copy was taken is above its floor all the same."""
    controller = Controller()
    one, other = neighbours("billing", 2)
    controller.lives(one)
    controller.ticks(one, seconds=SWEPT_S)
    copy = controller.cell
    token = max(controller.lives(other) for _ in range(3))
    controller.ticks(other, seconds=SWEPT_S)
    controller.loses_its_checkpoint(copy)

    assert controller.lives(other) > token


def test_a_strangers_beat_makes_no_group_of_a_swept_one() -> None:
    """It is answered, and the cell stays as small as it was."""
    controller = Controller()
    controller.lives("billing")
    controller.ticks("billing", seconds=SWEPT_S)
    swept = controller.cell
    controller.log.append(HEARTBEATS, "billing", beat("zombie"), at=controller.now)
    folded = controller.reads()

    assert [(b"billing/zombie", None)] == [record[2:4] for record in folded.records]
    assert swept == replace(folded.cell, clock=swept.clock)


def test_names_seen_once_cost_nothing_in_the_end() -> None:
    """Two hundred of them, swept, take as many bytes as none: but for the digits of the floor."""
    controller, names = Controller(), neighbours("billing", 200)
    for name in names:
        controller.log.append(MEMBERS, name, join("a"), at=1_000)
        controller.log.append(MEMBERS, name, leave("a"), at=1_000)
    controller.log.tick("billing", at=1_000)
    controller.reads()
    full = len(write(controller.cell))
    controller.ticks("billing", seconds=SWEPT_S)

    swept, blank = len(write(controller.cell)), len(write(Cell()))

    assert full > 100_000
    assert swept <= blank + 16
    assert GroupName("g0") not in open_drawers(controller.cell)


def test_the_log_says_when_and_not_where_a_batch_ends() -> None:
    """From the last leave to the hour in one batch, and each tick in one of its own (I7)."""
    cells = []
    for cut in (False, True):
        controller = Controller()
        controller.log.append(MEMBERS, "billing", join("a"), at=1_000)
        controller.log.tick("billing", at=1_000)
        controller.reads()
        controller.log.append(MEMBERS, "billing", leave("a"), at=1_000)
        for second in range(2, SWEPT_S):
            controller.log.tick("billing", at=1_000 * second)
            if cut:
                controller.reads()
        if not cut:
            controller.reads()
        cells.append(controller.cell)

    assert {} == open_drawers(cells[0])
    assert cells[0] == cells[1]


BILLING, NEIGHBOUR = "billing", neighbours("billing", 1)[0]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([BILLING, NEIGHBOUR]),
            st.sampled_from(
                [
                    "lives",
                    "lives",
                    "lives",
                    "forgotten",
                    "swept",
                    "copied",
                    "restored",
                    "lost",
                    "reread",
                ]
            ),
        ),
        max_size=16,
    )
)
def test_no_token_ever_goes_back(deeds: list[tuple[str, str]]) -> None:
    """Whatever becomes of groups and checkpoints, a queue's next owner has a greater one (I3)."""
    controller, highest = Controller(), {BILLING: 0, NEIGHBOUR: 0}
    for group, deed in deeds:
        match deed:
            case "lives":
                token = controller.lives(group)
                assert token > highest[group]
                highest[group] = token
            case "forgotten":
                controller.forgets_by_order(group)
            case "swept":
                controller.ticks(group, seconds=SWEPT_S)
            case "copied":
                controller.copy = controller.cell
            case "restored":
                controller.loses_its_checkpoint(controller.copy)
            case "reread":
                controller.loses_its_checkpoint(logged=True)
            case _:
                controller.loses_its_checkpoint()
