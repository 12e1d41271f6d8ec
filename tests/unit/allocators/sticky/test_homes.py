"""Queues that stick to a rack."""

from allocators import allocator
from tests.unit.allocators.groups import group, member, shares

EAST, WEST = member("t", "u", rack="east"), member("t", "u", rack="west")


def test_a_queue_goes_to_the_members_of_its_rack() -> None:
    """Even where the loads end uneven for it; a queue without a rack evens them."""
    stay = allocator("STICKY", {"queue_racks": {"t": "east"}})
    plan = stay(group({"a": EAST, "b": WEST}, {"t": 3, "u": 3}))

    assert {"a": ["t0", "t1", "t2"], "b": ["u0", "u1", "u2"]} == shares(plan)


def test_an_empty_rack_leaves_nothing_behind() -> None:
    """Nobody of the rack is there, or none of them subscribes the topic: everybody may have it."""
    stay = allocator("STICKY", {"queue_racks": {"t": "north", "u": "west"}})
    members = {"a": EAST, "b": member("t", rack="west")}
    plan = stay(group(members, {"t": 3, "u": 3}))

    assert {"a": ["u0", "u1", "u2"], "b": ["t0", "t1", "t2"]} == shares(plan)


def test_a_queue_s_own_rack_counts_before_its_topic_s_and_its_broker_s() -> None:
    """The nearest word is believed."""
    racks = {"t": [["", 0, "west"]], "u": "west"}
    stay = allocator("STICKY", {"queue_racks": racks, "broker_racks": {"": "east"}})
    plan = stay(group({"a": EAST, "b": WEST}, {"t": 3, "u": 1}))

    assert {"a": ["t1", "t2"], "b": ["t0", "u0"]} == shares(plan)


def test_a_full_rack_does_not_overflow() -> None:
    """Its queues wait, with the reason."""
    stay = allocator("STICKY", {"broker_racks": {"": "east"}})
    members = {"a": member("t", rack="east", cap=1), "b": member("t", rack="west")}
    plan = stay(group(members, {"t": 3}))

    assert {"a": ["t0"]} == shares(plan)
    assert {"every subscriber is at its capacity"} == set(plan.unassigned.values())


def test_a_member_that_comes_to_a_rack_moves_only_what_stands_there() -> None:
    """The fewest moves, within the rack."""
    stay = allocator("STICKY", {"queue_racks": {"t": "east", "u": "west"}})
    before = stay(group({"a": EAST, "b": WEST}, {"t": 4, "u": 4})).owners
    after = stay(group({"a": EAST, "b": WEST, "c": EAST}, {"t": 4, "u": 4}, before))

    assert {"a": ["t0", "t1"], "b": ["u0", "u1", "u2", "u3"], "c": ["t2", "t3"]} == shares(after)
