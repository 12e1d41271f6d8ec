"""Queues that stick to a rack."""

from dataclasses import replace

from allocators import allocator
from rebalance.allocation import AllocationRequest
from rebalance.ids import MemberId, TopicName
from rebalance.racks import RackRun
from tests.unit.allocators.groups import group, member, shares, shelf

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
    """Its queues wait, with the reason; those that have no rack have one of their own."""
    stay = allocator("STICKY", {"queue_racks": {"t": "east"}})
    members = {"a": member("t", rack="east", cap=1), "b": member("t", rack="west")}
    plan = stay(group(members, {"t": 3}))

    assert {"a": ["t0"]} == shares(plan)
    assert {"every subscriber in its racks is at its capacity"} == set(plan.unassigned.values())

    members = {"a": member("t", "u", rack="east", cap=1)}
    (had,) = shelf("t", 1)
    plan = stay(group(members, {"t": 1, "u": 1, "w": 1}, {had: MemberId("a")}))
    assert {
        "u": "every subscriber is at its capacity",
        "w": "no member subscribes the topic",
    } == {queue.topic: why for queue, why in plan.unassigned.items()}


def test_a_member_that_comes_to_a_rack_moves_only_what_stands_there() -> None:
    """The fewest moves, within the rack."""
    stay = allocator("STICKY", {"queue_racks": {"t": "east", "u": "west"}})
    before = stay(group({"a": EAST, "b": WEST}, {"t": 4, "u": 4})).owners
    after = stay(group({"a": EAST, "b": WEST, "c": EAST}, {"t": 4, "u": 4}, before))

    assert {"a": ["t0", "t1"], "b": ["u0", "u1", "u2", "u3"], "c": ["t2", "t3"]} == shares(after)


def told(request: AllocationRequest, **racks: tuple[str, int, int]) -> AllocationRequest:
    """The same, where Kafka says of a run of queues in which racks, as letters, they stand."""
    north_to_west = {"n": "north", "e": "east", "w": "west"}
    runs = {
        TopicName(topic): (RackRun(frozenset(map(north_to_west.__getitem__, those)), first, size),)
        for topic, (those, first, size) in racks.items()
    }
    return replace(request, racks=runs)


def test_a_queue_goes_where_kafka_has_a_replica_of_it() -> None:
    """Several racks will do; of what nobody has said anything everybody may have it."""
    stay = allocator("STICKY", {"racks": "kafka"})
    members = {"a": EAST, "b": WEST, "c": member("t", "u", rack="north")}
    plan = stay(told(group(members, {"t": 4, "u": 2}), t=("ew", 0, 4), u=("e", 0, 1)))

    assert {"a": 3, "b": 2, "c": 1} == {name: len(those) for name, those in shares(plan).items()}
    assert ["u1"] == shares(plan)["c"]
    assert "u0" in shares(plan)["a"]


def test_a_word_of_ones_own_counts_before_kafkas_and_without_the_option_that_is_nothing() -> None:
    """An operator knows better; and nobody is surprised by racks."""
    request = told(group({"a": EAST, "b": WEST}, {"t": 2}), t=("w", 0, 2))

    assert {"a": ["t0", "t1"]} == shares(
        allocator("STICKY", {"racks": "kafka", "queue_racks": {"t": "east"}})(request)
    )
    assert {"b": ["t0", "t1"]} == shares(allocator("STICKY", {"racks": "kafka"})(request))
    assert {"a": ["t0"], "b": ["t1"]} == shares(allocator("STICKY")(request))
