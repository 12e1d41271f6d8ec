"""What a starting controller found published of a group is whole before it acts, or it waits."""

from typing import Any

import pytest

from rebalance.groups.model.policy import Policy, TwinRule
from sinks import Record
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import Folded, fold
from streaming.startup.published import PublishedState
from streaming.wire.rows import Row
from tests.builders.log import Log, beat, join, route, rules
from tests.unit.streaming.cell.successor import (
    RULES,
    START,
    ailments,
    assignment,
    published,
    summaries,
    told,
)
from trimtab.protocol import (
    ASSIGNMENTS,
    HEARTBEATS,
    MEMBERS,
    ROUTES,
    Adopt,
    Advance,
    decode,
)


def test_each_record_says_how_many_there_are() -> None:
    """For its group: a summary, and one for each member."""
    log = Log()
    board = PublishedState(START)
    for record in published(log):
        if record.topic == "t.assignments":
            board.assignment(record.key, record.value)
        elif record.topic == "t.groups":
            board.summary(record.key, record.value)
    notices = [found.record for found in board.found()]

    assert [4, 4, 4, 4] == [it.of for it in notices if isinstance(it, Adopt | Advance)]


def test_cut_anywhere_it_waits_until_it_is_whole() -> None:
    """A newcomer's join is not answered before, and nobody's queue is granted anew."""
    log = Log()
    before = published(log)
    rows = told(log, before)
    for cut in range(1, len(rows)):
        newcomer = Log(ends=dict(log.ends)).append(MEMBERS, "billing", join("d"), at=9_500)
        batches: list[Folded] = []
        cell = Cell()
        for batch in (rows[:cut], [newcomer], rows[cut:]):
            batches.append(fold(read(write(cell)), batch, RULES))
            cell = batches[-1].cell
        first, second, third = batches
        assert [1, 0] == [len(ailments(it.records)) for it in (first, second)]
        assert 1 == len(first.records + second.records)
        after = assignment(third.records)
        assert {"a", "b", "c"} <= after.keys()
        assert all(after[name] <= held for name, held in assignment(before).items())
        assert set() == after["d"]


def test_whole_in_one_batch_it_acts_at_once() -> None:
    """As ever."""
    log = Log()
    before = published(log)
    folded = fold(Cell(), told(log, before), RULES)

    assert assignment(before) == assignment(folded.records)


def test_lives_that_share_a_name_are_counted_apart() -> None:
    """Where twins are each a member of their own, two records are two, and nobody waits."""
    separate = rules(Policy(on_twin=TwinRule.SEPARATE))
    log = Log()
    for life in ("1767225600000-9f86d081", "1767225600001-9f86d082"):
        log.append(MEMBERS, "billing", join("a", incarnation=life), at=1_000)
    log.append(ROUTES, "billing", route(queues=6), at=1_000)
    before = fold(Cell(), log.read(), separate).records
    assert 2 == sum(it.topic == "t.assignments" for it in before)

    after = fold(Cell(), told(log, before), separate).records
    assert 2 == sum(it.topic == "t.assignments" for it in after)


def test_a_life_that_stands_under_two_names_is_one() -> None:
    """Its own, and that of all its twins, if the rule has changed meanwhile: nobody waits."""
    log = Log()
    [summary, *assignments] = sorted(published(log), key=lambda it: it.topic, reverse=True)[-4:]
    twice = [it._replace(key=it.key + b"@1767225600000-9f86d081") for it in assignments]
    folded = fold(Cell(), told(log, [summary, *assignments, *twice]), RULES)

    assert {"a", "b", "c"} == assignment(folded.records).keys()


def notices(log: Log, records: list[Record]) -> dict[str, Row]:
    """What its successor is told, by whom it is about; the summary's is the empty name."""
    rows = told(log, records)
    said = [decode(ROUTES, row.value) for row in rows]
    return {getattr(it, "member", ""): row for it, row in zip(said, rows, strict=True)}


class Life:
    """A cell that was told all but a few of what was published, and lives on."""

    def __init__(self, *lost: str, policy: Policy | None = None) -> None:
        self.log, self.rules = Log(), rules(policy)
        self.before = published(self.log)
        self.second = 10
        self.cell = Cell()
        self.log.tick("billing", at=9_000)
        ticks = self.log.read()
        rows = notices(self.log, self.before)
        self.rows = [row for name, row in rows.items() if name not in lost]
        self.lost = [rows[name] for name in lost]
        self.said: list[Record] = []
        self.reads(*ticks, *self.rows)

    def reads(self, *rows: Row) -> list[Record]:
        """Read a batch, from the state as it is written."""
        folded = fold(read(write(self.cell)), rows, self.rules)
        self.cell = folded.cell
        self.said += folded.records
        return folded.records

    def lives(self, seconds: int, *beating: str, epoch: int = 1) -> list[Record]:
        """Let time pass, in which some beat."""
        said = []
        for _ in range(seconds):
            self.second += 1
            self.log.tick("billing", at=self.second * 1_000)
            for name in beating:
                still = beat(name, sequence=self.second, epoch=epoch)
                self.log.append(HEARTBEATS, "billing", still, at=self.second * 1_000)
            said += self.reads(*self.log.read())
        return said

    def watcher_tells(self) -> list[Record]:
        """What a route watcher that starts tells of the topic."""
        self.log.append(ROUTES, "billing", route(queues=6, version=2), at=self.second * 1_000)
        return self.reads(*self.log.read())

    def joins(self, name: str) -> list[Record]:
        """Somebody comes."""
        self.log.append(MEMBERS, "billing", join(name), at=self.second * 1_000)
        return self.reads(*self.log.read())


def test_that_it_waits_is_said_once_with_what_to_do() -> None:
    """How much is missing, how long that lasts, and how to end it; and that it is over."""
    life = Life("c")
    [reason] = ailments(life.said)

    assert reason is not None
    assert "3 of 4" in reason
    assert "start the controller again" in reason
    assert [] == life.lives(20, "a", "b")
    assert None in ailments(life.reads(*life.lost))


@pytest.mark.parametrize("lost", ["a", "b", "c", ""])
def test_what_never_comes_is_waited_for_no_longer_than_a_minute(lost: str) -> None:
    """Who was found goes on with what it had, and whoever was not is told that it is not known."""
    life = Life(lost)
    assert [] == life.lives(50, "a", "b", "c")
    said = life.lives(15, "a", "b", "c")

    held = assignment(life.before)
    there = set("abc") - {lost}
    assert {name: held[name] for name in there} == assignment(said)
    gone = {it.key for it in said if it.topic == "t.assignments" and it.value is None}
    assert gone == ({f"billing/{lost}".encode()} if lost else set())
    assert "some published records were not found" in (summaries(said)[-1].ailment or "")


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["a", "b", "c"])
def test_nothing_is_granted_anew_while_its_holder_may_work(lost: str) -> None:
    """Not while the life that was not found beats, nor for as long as it may be silent and live."""
    life = Life(lost)
    life.lives(65, "a", "b", "c")
    free = assignment(life.before)[lost]
    life.watcher_tells()
    life.joins("d")
    mark = len(life.said)
    life.lives(700, "a", "b", "c", epoch=3)
    life.lives(1_190, *set("abc") - {lost}, epoch=3)
    life.joins("d")
    assert not any(_names(it, free) for it in life.said[mark:])

    life.lives(30, *set("abc") - {lost}, epoch=3)
    life.joins("d")
    assert any(_names(it, free) for it in life.said[mark:])
    assert None is summaries(life.said)[-1].ailment
    assert None is ailments(life.said)[-1]


def _names(record: Record, queues: set[Any]) -> bool:
    if record.topic != "t.assignments" or record.value is None:
        return False
    said = decode(ASSIGNMENTS, record.value)
    rows = (*said.hold, *said.give, *said.inherit)
    return any(it[:3] == row[:3] for it in rows for row in queues)


def test_epochs_go_on_far_above_if_how_far_they_got_is_not_known() -> None:
    """Without the summary nobody knows that: so none is drawn that can have been drawn."""
    life = Life("")
    said = life.lives(65, "a", "b", "c")

    assert 1_000_000 < summaries(said)[-1].epoch


def test_a_controller_that_remembers_goes_on_where_it_was() -> None:
    """It waits as well, since it cannot know; after that nothing moves, and it is over."""
    log = Log()
    for name in "abc":
        log.append(MEMBERS, "billing", join(name), at=1_000)
    log.append(ROUTES, "billing", route(queues=6), at=1_000)
    log.tick("billing", at=1_000)
    folded = fold(Cell(), log.read(), RULES)
    life = Life("a")
    life.said, life.log, life.cell = [], log, folded.cell
    rows = notices(log, folded.records)
    life.reads(*(row for name, row in rows.items() if name != "a"))
    life.lives(80, "a", "b", "c")

    assert [None] == ailments(life.said)[1:]
    assert {} == assignment(life.said)
    assert [] == summaries(life.said)
