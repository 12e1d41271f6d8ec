"""What a starting controller found published of a group is whole before it acts."""

from typing import Any

from rebalance.groups.model.policy import Policy, TwinRule
from sinks import Record
from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import Folded, fold
from streaming.startup.published import PublishedState
from streaming.wire.rows import Row
from tests.builders.log import Log, join, route, rules
from trimtab.protocol import ASSIGNMENTS, MEMBERS, ROUTES, Adopt, Advance, decode

RULES = rules()
START = "1767312000000-0b5e55ed"


def orders(records: list[Record]) -> dict[str, set[Any]]:
    """What each member is told to hold."""
    said = [decode(ASSIGNMENTS, it.value) for it in records if it.topic == "t.assignments"]
    return {it.member: set(it.hold) for it in said}


def published(log: Log) -> list[Record]:
    """What a controller has published that is no more: three members have two queues each."""
    for name in "abc":
        log.append(MEMBERS, "billing", join(name), at=1_000)
    log.append(ROUTES, "billing", route(queues=6), at=1_000)
    return fold(Cell(), log.read(), RULES).records


def told(log: Log, records: list[Record]) -> list[Row]:
    """What its successor is told of that."""
    board = PublishedState(START)
    for record in records:
        if record.topic == "t.assignments":
            board.assignment(record.key, record.value)
        elif record.topic == "t.groups":
            board.summary(record.key, record.value)
    for notice in board.notices():
        log.append(ROUTES, notice.group, notice.record, at=9_000)
    return log.read()


def test_each_record_says_how_many_there_are() -> None:
    """For its group: a summary, and one for each member."""
    log = Log()
    board = PublishedState(START)
    for record in published(log):
        if record.topic == "t.assignments":
            board.assignment(record.key, record.value)
        elif record.topic == "t.groups":
            board.summary(record.key, record.value)
    notices = [notice.record for notice in board.notices()]

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
        assert [] == first.records + second.records
        after = orders(third.records)
        assert {"a", "b", "c"} <= after.keys()
        assert all(after[name] <= held for name, held in orders(before).items())
        assert set() == after["d"]


def test_whole_in_one_batch_it_acts_at_once() -> None:
    """As ever."""
    log = Log()
    before = published(log)
    folded = fold(Cell(), told(log, before), RULES)

    assert orders(before) == orders(folded.records)


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

    assert {"a", "b", "c"} == orders(folded.records).keys()
