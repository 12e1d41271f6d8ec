"""Queues follow the racks of their replicas, with a strategy that asks for them."""

from allocators import allocator
from rebalance.groups import routing
from rebalance.groups.model.policy import Policy
from rebalance.ids import TopicName
from rebalance.racks import RackRun
from streaming.cell.packed import pack, unpack
from tests.builders.group import a_group
from tests.builders.records import at, joined, routed
from tests.builders.story import Story

EAST, WEST = frozenset({"east"}), frozenset({"west"})


def test_a_member_works_on_what_has_a_replica_in_its_rack() -> None:
    """Also when replicas are moved; and the next worker that has the state knows as much."""
    story = Story(
        policy=Policy(standing_heirs=False), allocator=allocator("STICKY", {"racks": "kafka"})
    )
    story.reads(
        joined("a", rack="east"),
        joined("b", rack="west"),
        routed("orders", 4, racks=(RackRun(WEST, 0, 3), RackRun(EAST, 3, 1))),
    )
    assert {"a": 1, "b": 3} == counts(story)
    story.state = unpack(pack(story.state))

    story.reads(routed("orders", 4, version=2))
    assert {"a": 1, "b": 3} == counts(story), "nobody can tell now"
    story.reads(routed("orders", 4, version=3, racks=(RackRun(EAST, 0, 4),)))
    assert {"a": 4} == counts(story)


def test_replicas_elsewhere_are_a_change_and_who_cannot_tell_changes_nothing() -> None:
    """The watcher may have been started anew while a broker is down."""
    draft, east = (
        a_group().with_member("a").with_route("orders", 2, version=5).drafted(),
        (RackRun(frozenset({"east"}), 0, 2),),
    )
    for version, racks in ((6, east), (7, None), (8, east), (9, ())):
        routing.observe(draft, routed("orders", 2, version=version, racks=racks)(at(0)))
        assert version == draft.topics.routes[TopicName("orders")].version
        assert (east if version < 9 else ()) == draft.topics.routes[TopicName("orders")].racks

    assert ["2 queues, in other racks"] * 2 == [it.detail for it in draft.outbox.changes]


def counts(story: Story) -> dict[str, int]:
    """How many queues each is meant to own."""
    owners = [*story.state.target.owners.values()]
    return {name: owners.count(name) for name in owners}
