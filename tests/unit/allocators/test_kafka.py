"""RANGE: the same slice of every topic. ROUND_ROBIN: one to each in turn, over all topics."""

from allocators.kafka import ranges, round_robin
from rebalance.ids import MemberId
from tests.unit.allocators.groups import group, member, shares


def test_equal_topics_are_co_partitioned() -> None:
    """Queue i of both topics goes to one member."""
    plan = ranges(group({"a": member("t", "u"), "b": member("t", "u")}, {"t": 3, "u": 3}))

    assert {"a": ["t0", "t1", "u0", "u1"], "b": ["t2", "u2"]} == shares(plan)


def test_static_members_come_first_by_their_instance() -> None:
    """As in Kafka: whoever runs as an instance has that instance's slice."""
    static = member("t")._replace(instance="i-0")
    plan = ranges(group({"a": member("t"), "z": static}, {"t": 3}))

    assert {"a": ["t2"], "z": ["t0", "t1"]} == shares(plan)


def test_a_topic_is_cut_for_its_subscribers_only() -> None:
    """Who does not subscribe does not count."""
    plan = ranges(group({"a": member("t"), "b": member("t", "u")}, {"t": 2, "u": 2}))

    assert {"a": ["t0"], "b": ["t1", "u0", "u1"]} == shares(plan)


def test_the_turn_goes_on_from_topic_to_topic() -> None:
    """Two topics of three queues leave two members even."""
    plan = round_robin(group({"a": member("t", "u"), "b": member("t", "u")}, {"t": 3, "u": 3}))

    assert {"a": ["t0", "t2", "u1"], "b": ["t1", "u0", "u2"]} == shares(plan)


def test_who_does_not_subscribe_is_passed_over() -> None:
    """Kafka's own example: C0 to C2 subscribe one, two and three topics of one to three queues."""
    members = {"C0": member("t0_"), "C1": member("t0_", "t1_"), "C2": member("t0_", "t1_", "t2_")}
    plan = round_robin(group(members, {"t0_": 1, "t1_": 2, "t2_": 3}))

    assert {"C0": ["t0_0"], "C1": ["t1_0"], "C2": ["t1_1", "t2_0", "t2_1", "t2_2"]} == shares(plan)


def test_the_turn_begins_with_the_static_members() -> None:
    """As in Kafka: by their instance, whatever their ids, before all others."""
    members = {
        "a": member("t"),
        "b": member("t")._replace(instance="i-1"),
        "c": member("t")._replace(instance="i-0"),
    }
    plan = round_robin(group(members, {"t": 4}))

    assert {"a": ["t2"], "b": ["t1"], "c": ["t0", "t3"]} == shares(plan)


def test_a_topic_for_nobody_is_given_a_reason() -> None:
    """It does not disturb the turn either."""
    plan = round_robin(group({"a": member("u")}, {"t": 1, "u": 1}))

    assert {MemberId("a")} == set(plan.owners.values())
    assert ["no member subscribes the topic"] == list(plan.unassigned.values())
