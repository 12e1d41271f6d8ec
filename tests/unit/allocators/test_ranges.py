"""RANGE: the same slice of every topic."""

from allocators.ranges import ranges
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
