"""A plan of members that come, under strategies that go by their names or racks."""

import json
from dataclasses import replace

import pytest

from rebalance.groups.model.commands import DrainMember
from rebalance.ids import MemberId
from tests.unit.console.planning.published_group import (
    NAME,
    Ask,
    PublishedGroup,
    by_default,
    moved,
    route,
    told,
)
from trimtab.protocol import Route, RunRef

ROOMS = ("MACHINE_ROOM_NEARBY", {"inner": "AVG", "resolver": "before-first-dash"})
UNNAMED = {"brokers": {"": "r1"}, "clients": {"x": "r1", "y": "r1", "z": "r1"}}
LISTED = {"brokers": {"b1": "r1"}, "clients": {"x": "r1", "y": "r1"}}
CANARIES = ("CANARY", {"prefix": "canary-", "percent": 40})
IN_RACKS = ("STICKY", {"broker_racks": {"b1": "east"}})
IN_ROOMS = ("r1-a", "r1-b", "r2-c")
WITH_CANARIES = ("canary-1", "w-1", "w-2")


@pytest.fixture
def group(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> PublishedGroup:
    """Some members, and eight queues on each of some brokers, at rest; or nobody yet."""
    (strategy, options), names = request.param
    monkeypatch.setenv("TRIMTAB_POLICY__STRATEGY", strategy)
    monkeypatch.setenv("TRIMTAB_POLICY__STRATEGY_OPTIONS", json.dumps(options))
    policy = replace(by_default(), strategy=strategy, strategy_options=json.dumps(options))
    group = PublishedGroup(policy)
    if names:
        group.joins(*names)
        has_eight_queues_on(group, *(["r1-b1", "r1-b2", "r2-b3"] if names == IN_ROOMS else ["b1"]))
    return group


def has_eight_queues_on(group: PublishedGroup, *brokers: str) -> None:
    """Tell the group its queues."""
    runs = tuple(RunRef(it, 0, 8) for it in brokers)
    group.hears(Route(topic="orders", version=1, exists=True, runs=runs))
    group.waits(2)


@pytest.mark.parametrize(
    ("group", "question", "who"),
    [
        ((ROOMS, IN_ROOMS), ("--add", "2", "--like", "r1-a"), ("r1-a-new-1", "r1-a-new-2")),
        ((ROOMS, IN_ROOMS), ("--add", "2"), ("r1-a-new-1", "r1-a-new-2")),
        ((CANARIES, WITH_CANARIES), ("--add", "1", "--like", "canary-1"), ("canary-1-new-1",)),
        ((CANARIES, WITH_CANARIES), ("--add", "1"), ("w-1-new-1",)),
    ],
    indirect=["group"],
)
def test_who_comes_is_where_its_model_is(
    group: PublishedGroup, ask: Ask, question: tuple[str, ...], who: tuple[str, ...]
) -> None:
    """In its room, or on its side; if none is named, on that of most."""
    code, plan = ask("plan", NAME, *question)
    before = group.owners()
    group.joins(*who)

    assert 0 == code
    assert moved(before, group.owners()) == told(plan)
    assert {*who} <= {row["to"] for row in plan["moved"]}


@pytest.mark.parametrize("group", [(IN_RACKS, ())], indirect=True)
def test_who_comes_is_in_a_rack_that_has_something(group: PublishedGroup, ask: Ask) -> None:
    """One that said none would get nothing where queues stay in racks that are full."""
    group.joins("a", "b", rack="east", capacity=3)
    group.joins("c", rack="west")
    has_eight_queues_on(group, "b1")
    code, plan = ask("plan", NAME, "--add", "1")
    before = group.owners()
    group.joins("a-new-1", rack="east")

    assert (0, ["a-new-1 comes, in rack east"]) == (code, plan["changes"])
    assert moved(before, group.owners()) == told(plan)
    assert "a-new-1" in {row["to"] for row in plan["moved"]}


@pytest.mark.parametrize("group", [(CANARIES, ())], indirect=True)
@pytest.mark.parametrize("mode", ["clustering", "broadcasting"])
def test_who_comes_is_like_one_that_may_own_something(
    group: PublishedGroup, ask: Ask, mode: str
) -> None:
    """However many drain, or broadcast what the others own."""
    group.joins("canary-1", "canary-2", mode=mode)
    group.joins("w-1")
    has_eight_queues_on(group, "b1")
    for name in ("canary-1", "canary-2") if mode == "clustering" else ():
        group.obeys(DrainMember(MemberId(name)))
    code, plan = ask("plan", NAME, "--add", "1")

    assert (0, ["w-1-new-1 comes"]) == (code, plan["changes"])
    assert {"w-1-new-1"} == {row["to"] for row in plan["moved"]}


@pytest.mark.parametrize(
    "group",
    [(("MACHINE_ROOM_NEARBY", {"inner": "AVG", "resolver": LISTED}), ("x", "y"))],
    indirect=True,
)
def test_a_name_that_no_table_lists_is_the_plans_own_fault(group: PublishedGroup, ask: Ask) -> None:
    """The group is well; the table is to list who comes."""
    del group
    code, plan = ask("plan", NAME, "--add", "1")

    assert 2 == code
    assert (
        "billing: the strategy has no answer with x-new-1; if its options list members, list these:"
        in plan["error"]
    )


@pytest.mark.parametrize(
    "group", [(("MACHINE_ROOM_NEARBY", {"inner": "AVG", "resolver": UNNAMED}), ())], indirect=True
)
def test_a_topic_that_the_strategy_refuses_hides_no_other_move(
    group: PublishedGroup, ask: Ask
) -> None:
    """One odd client that joins keeps nobody from planning what the controller would do."""
    group.joins("x", "y", "z")
    group.hears(route("orders", 6))
    group.joins("stranger", topics=("visits",))
    group.hears(route("visits", 2))
    group.waits(2)
    reason = "Machine room is null for consumer id stranger"
    code, plan = ask("plan", NAME, "--drain", "x")
    _, as_it_is = ask("plan", NAME)
    refused, _ = ask("plan", NAME, "--add", "1", "--like", "x")
    before = group.owners()
    group.obeys(DrainMember(MemberId("x")))

    assert 0 == code
    assert moved(before, group.owners()) == told(plan) != {}
    for notes in (plan["notes"], as_it_is["notes"]):
        assert f"the strategy has no answer for some topics, which stay: {reason}" in notes
    assert 2 == refused
