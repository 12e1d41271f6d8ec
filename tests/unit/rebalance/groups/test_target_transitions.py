"""How the target moves: what a group of two becomes when somebody comes, changes or goes.

The cases are those of Kafka's table (``kafkas_cases``). m1 and m2 begin with two queues each; the
strategy answers what the case says. What is looked at is who the target means each queue for, which
members are told anything, and how many moves are counted. The group is at epoch 5.
"""

from typing import NamedTuple

import pytest

from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.groups.model.commands import ChooseMode
from rebalance.groups.model.decisions import AssignmentIssued, Rebalanced
from rebalance.groups.model.events import Event
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import Epoch, InstanceId, MemberId, TopicName
from tests.builders.group import a_group
from tests.builders.notation import queue
from tests.builders.records import Record, at, commanded, joined, left
from tests.builders.story import only
from tests.unit.rebalance.groups.kafkas_cases import TARGET_ASSIGNMENT, WITHOUT_COUNTERPART

CHANGE = commanded(ChooseMode(TopicName("visits"), pops=True))
STATIC = InstanceId("i2")


class Case(NamedTuple):
    """One change of a group."""

    kafka: str
    before: str
    """For whom orders-0, orders-1, … are meant, and who holds them."""
    reads: tuple[Record, ...]
    answers: str
    """What the strategy says, or the present target with the newcomer in place of the one gone."""
    told: str
    moves: int


CASES = {
    "an empty group": Case("testEmpty", "", (CHANGE,), "", "", 0),
    "the strategy says the same": Case(
        "testAssignmentHasNotChanged", "m1 m1 m2 m2", (CHANGE,), "m1 m1 m2 m2", "", 0
    ),
    "two members swap": Case(
        "testAssignmentSwapped", "m1 m1 m2 m2", (CHANGE,), "m2 m2 m1 m1", "m1 m2", 4
    ),
    "a member comes": Case(
        "testNewMember", "m1 m1 m2 m2", (joined("m3"),), "m1 m3 m2 m3", "m1 m2 m3", 2
    ),
    "a member comes, and the target has no queue for it": Case(
        "testNewMember", "m1 m1 m2 m2", (joined("m3"),), "m1 m1 m2 m2", "m3", 0
    ),
    "a member changes what it says of itself": Case(
        "testUpdateMember",
        *("m1 m1 m2 m2", (joined("m2", "orders payments", rack="r"),), "m1 m2 m2 m2", "m1 m2", 1),
    ),
    "one member of three is not concerned": Case(
        "testPartialAssignmentUpdate", "m1 m2 m2 m3", (CHANGE,), "m1 m2 m3 m3", "m2 m3", 1
    ),
    "a member goes": Case("testDeleteMember", "m1 m1 m2 m3", (left("m3"),), "m1 m1 m2 m2", "m2", 1),
    "the last member goes": Case("testDeleteMember", "m1 m1", (left("m1"),), "", "", 0),
    "a static member is replaced": Case(
        "testReplaceStaticMember",
        *("m1 m1 m2 m2", (joined("m9", instance=STATIC),), "m1 m1 m9 m9", "m9", 0),
    ),
}


def group_with(owners: str) -> GroupState:
    """Build a group in which everybody holds what is meant for it; m2 is static."""
    names = owners.split()
    group = a_group().with_route("orders", len(names)).at_epoch(5)
    for name in dict.fromkeys(names):
        group = group.with_member(name)
    group = group.with_instance("m2", STATIC) if "m2" in names else group
    for number, name in enumerate(names):
        group = group.with_page(f"orders-{number}", f"{name}@1")
        group = group.with_target(f"orders-{number}", name)
    return group.state


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_target(case: Case) -> None:
    """The target is the strategy's answer for the group as it is; only those concerned are told."""
    names = case.answers.split()
    plan = {queue(f"orders-{number}"): MemberId(name) for number, name in enumerate(names)}
    before = group_with(case.before)
    events: list[Event] = [record(at(0, offset)) for offset, record in enumerate(case.reads, 1)]
    outcome = step(before, events, events[-1].stamp, Policy(), lambda _: AllocationPlan(plan))

    assert plan == outcome.state.target.owners
    assert Epoch(6) == outcome.state.target.epoch == outcome.state.group_epoch
    assert case.told.split() == [it.member for it in only(AssignmentIssued, outcome.decisions)]
    assert [case.moves] == [it.moves for it in only(Rebalanced, outcome.decisions)]


def test_what_a_member_says_of_itself_reaches_the_strategy() -> None:
    """Topics, rack, instance, weight, capacity, and what is meant for it now."""
    asked: list[AllocationRequest] = []

    def listening(request: AllocationRequest) -> AllocationPlan:
        asked.append(request)
        return AllocationPlan({})

    join = joined(
        "m2", "orders visits", rack="r", instance=STATIC, weight=3, capacity=9, sequence=1
    )
    step(group_with("m1 m2"), [join(at(0, 1))], at(0, 1), Policy(), listening)
    candidate = asked[0].candidates[MemberId("m2")]

    assert frozenset({TopicName("orders"), TopicName("visits")}) == candidate.topics
    assert ("r", "i2", 3, 9) == (
        candidate.rack,
        candidate.instance,
        candidate.weight,
        candidate.capacity,
    )
    assert {queue("orders-0"): "m1", queue("orders-1"): "m2"} == asked[0].current


def test_every_case_of_kafkas_is_answered() -> None:
    """By a case of this table, by the test above, or by the reason why it has none."""
    answered = {case.kafka for case in CASES.values()} | {"testCreateMemberSubscriptionSpecImpl"}

    assert TARGET_ASSIGNMENT == answered | (TARGET_ASSIGNMENT & WITHOUT_COUNTERPART.keys())
