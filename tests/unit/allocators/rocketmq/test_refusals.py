"""What a group does where RocketMQ's classes throw: each client keeps what it has."""

from allocators import allocator
from rebalance.allocation import Applicant
from rebalance.groups.model.decisions import GroupAiled
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId
from tests.builders.records import joined, left, routed
from tests.builders.story import Story, only
from tests.unit.allocators.groups import group, member, shares

ROOMS = {"brokers": {"": "x"}, "clients": {"a": "x", "b": "x"}}
NEARBY = allocator("MACHINE_ROOM_NEARBY", {"inner": "AVG", "resolver": ROOMS})
REFUSAL = "Machine room is null for consumer id c"


def known(*topics: str) -> dict[str, Applicant]:
    """Two members of a room."""
    return {"a": member(*topics), "b": member(*topics)}


def test_an_unlisted_client_takes_nothing_from_anybody() -> None:
    """One that nobody listed would take every queue from every member."""
    before = NEARBY(group(known("t"), {"t": 4}))
    plan = NEARBY(group({**known("t"), "c": member("t")}, {"t": 4}, before.owners))

    assert before.owners == plan.owners
    assert REFUSAL == plan.refusal


def test_what_nobody_had_waits_and_the_reason_is_named() -> None:
    """A queue that is new, and those of a member that has gone or wants the topic no more."""
    before = NEARBY(group(known("t"), {"t": 3}))
    people = {"a": member("t"), "b": member("u"), "c": member("t")}
    plan = NEARBY(group(people, {"t": 4}, before.owners))

    assert {"a": ["t0", "t1"]} == shares(plan)
    assert [REFUSAL] * 2 == list(plan.unassigned.values())


def test_other_topics_are_dealt() -> None:
    """Whom a client does not share a topic with, it does not concern."""
    before = NEARBY(group(known("t", "u"), {"t": 2, "u": 2}))
    people = {"a": member("t", "u"), "c": member("t")}
    plan = NEARBY(group(people, {"t": 2, "u": 2}, before.owners))

    assert {"a": ["t0", "u0", "u1"]} == shares(plan)


def test_capacity_does_not_hide_a_refusal() -> None:
    """The brain takes from a plan what is beyond a member's capacity; the rest of it stays."""
    story = Story(Policy(), allocator=NEARBY)
    story.reads(joined("a", capacity=1), joined("c"), routed("orders", 4))

    assert [REFUSAL] == [it.reason for it in only(GroupAiled, story.decided)]


def test_the_group_says_what_is_wrong_until_it_is_mended() -> None:
    """It says so once, a stranger that joins moves nothing, and once it has gone all are dealt."""
    story = Story(Policy(), allocator=NEARBY)
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    before = story.pages()
    story.reads(joined("c"))
    story.reads(joined("d"))

    assert before == story.pages()
    assert [REFUSAL] == [it.reason for it in only(GroupAiled, story.decisions)]

    story.reads(left("c"), left("d"))

    assert [REFUSAL, ""] == [it.reason for it in only(GroupAiled, story.decisions)]
    assert {MemberId("a"), MemberId("b")} == set(story.state.target.owners.values())
