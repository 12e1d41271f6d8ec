"""Who works on a queue while its group moves: each decision, and every wanted of events."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple, get_args

import pytest

from tests.builders.sessions import queue
from trimtab.moving.sides import (
    SIDES,
    LastCommit,
    Others,
    Plan,
    Side,
    asks_who_can,
    given_to,
    planned,
    read_commit,
)
from trimtab.protocol import QueueRef

ONE = queue(0)
KAFKAS, TRIMTABS = LastCommit(offset=7), LastCommit("trimtab", 3, 7)


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ("", LastCommit("kafka", 0, 7)),
        ("whatever: others say", LastCommit("kafka", 0, 7)),
        ("kafka:5", LastCommit("kafka", 5, 7)),
        ("trimtab:5", LastCommit("trimtab", 5, 7)),
        ("kafka:5:7", LastCommit("kafka", 5, 7)),  # read on behind the end
        ("trimtab:5:1790-abc", LastCommit("trimtab", 5, 7)),
        ("kafka:²:", LastCommit("kafka", 0, 7)),  # a digit that is no number
        ("trimtab:" + "9" * 5_000, LastCommit("trimtab", 0, 7)),
    ],
)
def test_a_commit_names_a_side(said: str, last: LastCommit) -> None:
    """What others than trimtab commit is Kafka's."""
    assert last == read_commit(7, said)


@pytest.mark.parametrize("side", SIDES)
def test_what_is_said_is_read(side: Side) -> None:
    """And a queue without a commit is Kafka's, and begins nowhere yet."""
    assert LastCommit(side, 9, 7) == read_commit(7, given_to(side, 9))
    assert LastCommit() == read_commit(-1001, "")


@pytest.mark.parametrize(
    ("owns", "working", "last", "wanted", "plan"),
    [
        ("kafka", None, KAFKAS, None, Plan(begin={ONE: "kafka"})),
        ("kafka", "kafka", KAFKAS, "kafka", Plan()),
        ("kafka", "kafka", KAFKAS, "trimtab", Plan(move={ONE: "trimtab"})),
        ("kafka", None, KAFKAS, "trimtab", Plan(move={ONE: "trimtab"})),
        (
            "kafka",
            None,
            LastCommit(),
            "trimtab",
            Plan(begin={ONE: "kafka"}),
        ),  # its start is committed so
        ("kafka", "kafka", LastCommit(), "trimtab", Plan()),
        ("kafka", None, TRIMTABS, "trimtab", Plan()),
        ("kafka", None, TRIMTABS, "kafka", Plan(is_awaited=True)),
        ("kafka", "kafka", TRIMTABS, "kafka", Plan(lose=frozenset({ONE}))),
        ("trimtab", None, TRIMTABS, None, Plan(begin={ONE: "trimtab"})),
        ("trimtab", "trimtab", TRIMTABS, "kafka", Plan(move={ONE: "kafka"})),
        ("trimtab", None, KAFKAS, "trimtab", Plan(is_awaited=True)),
        ("trimtab", "trimtab", KAFKAS, None, Plan(lose=frozenset({ONE}))),
    ],
)
def test_each_case(
    owns: Side, working: Side | None, last: LastCommit, wanted: Side | None, plan: Plan
) -> None:
    """One queue, which this process owns on one side."""
    owned = {side: {ONE} if side == owns else set() for side in SIDES}
    at_work = {} if working is None else {ONE: working}

    assert plan == planned(owned, at_work, {ONE: last}, wanted, others="can")


@pytest.mark.parametrize(
    ("owns", "working", "last", "wanted", "plans"),
    [
        ("kafka", "kafka", KAFKAS, "trimtab", (Plan(),) * 3),
        ("kafka", None, KAFKAS, "trimtab", (Plan(begin={ONE: "kafka"}),) * 3),
        ("trimtab", "trimtab", TRIMTABS, "trimtab", (Plan(),) * 3),
        *(
            (
                "trimtab",
                None,
                TRIMTABS,
                it,
                (Plan(move={ONE: "kafka"}), Plan(), Plan(begin={ONE: "trimtab"})),
            )
            for it in ("trimtab", None)
        ),
        ("trimtab", None, TRIMTABS, "kafka", (Plan(move={ONE: "kafka"}),) * 3),
        ("trimtab", None, KAFKAS, "trimtab", (Plan(),) * 3),
        ("kafka", None, TRIMTABS, "kafka", (Plan(is_awaited=True),) * 3),
    ],
)
def test_nothing_begins_on_trimtabs_side_beside_who_cannot_move(
    owns: Side,
    working: Side | None,
    last: LastCommit,
    wanted: Side | None,
    plans: tuple[Plan, ...],
) -> None:
    """That one may be its owner on Kafka's; nor if it was never heard who is there.

    To begin it, that all could move when that was heard last will do; to move it will not.
    """
    owned = {side: {ONE} if side == owns else set() for side in SIDES}
    at_work = {} if working is None else {ONE: working}
    known: tuple[Others, ...] = ("cannot", "unknown", "could")
    found = [planned(owned, at_work, {ONE: last}, wanted, others=it) for it in known]

    assert [*plans] == found


def test_who_can_move_is_asked_where_the_plan_depends_on_it() -> None:
    """Before a queue moves, and on trimtab's side beforehand; a group that rests asks nothing."""
    cases = {
        (last, wanted): asks_who_can({} if last is None else {ONE: last}, wanted)
        for last in (None, LastCommit(), KAFKAS, TRIMTABS)
        for wanted in (None, *SIDES)
    }

    assert {it: when for it, when in cases.items() if when != "never"} == {
        (None, "trimtab"): "later",
        (LastCommit(), "trimtab"): "later",
        (KAFKAS, "trimtab"): "now",
        (TRIMTABS, None): "later",
        (TRIMTABS, "trimtab"): "later",
    }


def test_what_is_gone_is_taken_by_its_owner_on_the_wanted_side() -> None:
    """And by nobody else."""
    owned: dict[Side, set[QueueRef]] = {"kafka": {ONE}, "trimtab": set()}
    taken = Plan(move={ONE: "kafka"}, taken=frozenset({ONE}))

    assert taken == planned(owned, {}, {ONE: TRIMTABS}, "kafka", {ONE}, others="unknown")
    assert Plan() == planned(owned, {}, {ONE: TRIMTABS}, "trimtab", {ONE}, others="can")
    assert Plan() == planned(
        {it: set() for it in SIDES}, {}, {ONE: TRIMTABS}, "kafka", {ONE}, others="unknown"
    )


class Read(NamedTuple):
    """What a process has read of the queue."""

    last: LastCommit
    owned: frozenset[Side]
    """The sides on which it has owned the queue ever since."""


class World(NamedTuple):
    """One queue and two processes."""

    last: LastCommit
    owners: tuple[int, int]
    """Who owns it on Kafka's side, and on trimtab's."""
    working: tuple[Side | None, Side | None]
    read: tuple[Read | None, Read | None]
    """What each has read, and not acted on."""
    wanted_by: tuple[Side | None, Side | None]
    """What each has heard: any wanted, however old."""
    others: tuple[Others, Others]
    """What each was told of the company."""


def following(world: World) -> Iterator[World]:
    """All that may happen next."""
    for one in (0, 1):
        mine = frozenset(side for at, side in enumerate(SIDES) if world.owners[at] == one)
        yield world._replace(read=put(world.read, one, Read(world.last, mine)))
        for wanted in (None, *SIDES):
            yield world._replace(wanted_by=put(world.wanted_by, one, wanted))
        for others in get_args(Others):
            yield world._replace(others=put(world.others, one, others))
        if (read := world.read[one]) is not None:
            yield acted(world, one, read)
    for at, side in enumerate(SIDES):  # the side's own hand-over: one has stopped, the other begins
        owner = world.owners[at]
        stopped = put(world.working, owner, None) if world.working[owner] == side else world.working
        was, other = world.read[owner], world.read[1 - owner]
        since = was and was._replace(owned=was.owned - {side})
        both = put((other, other), owner, since)
        yield world._replace(owners=put(world.owners, at, 1 - owner), working=stopped, read=both)


def acted(world: World, one: int, read: Read) -> World:
    """What a process does with what it has read."""
    last, owned = read.last, {side: {ONE} if side in read.owned else set() for side in SIDES}
    working = {} if (at_work := world.working[one]) is None else {ONE: at_work}
    wanted, others = world.wanted_by[one], world.others[one]
    plan = planned(owned, working, {ONE: last}, wanted, others=others)
    world = world._replace(read=put(world.read, one, None))
    if plan.lose:
        return world._replace(working=put(world.working, one, None))
    if plan.move:
        moved = replace(last, side=plan.move[ONE])
        return world._replace(last=moved, working=put(world.working, one, None))
    if plan.begin:
        return world._replace(working=put(world.working, one, plan.begin[ONE]))
    return world


def put(pair: tuple, at: int, value: object) -> tuple:  # type: ignore[type-arg]  # of any kind
    """A pair with another value."""
    return (value, pair[1]) if at == 0 else (pair[0], value)


def test_one_works_whatever_each_has_heard() -> None:
    """Every wanted of reading, hearing, moving and of hand-overs on either side."""
    nothing = (None, None)
    begin = World(KAFKAS, (0, 1), nothing, nothing, nothing, ("unknown", "unknown"))
    seen, ahead = {begin}, [begin]
    while ahead:
        world = ahead.pop()
        assert world.working.count(None) >= 1, world
        fresh = {*following(world)} - seen
        seen |= fresh
        ahead += fresh

    assert {1} == {it.working.count(None) for it in seen if it.working != (None, None)}
    assert len(seen) > 500
