"""Each group is packed by itself, and what has not changed is taken over."""

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings

from allocators import allocator
from rebalance.allocation import AllocationRequest, Applicant
from rebalance.brokers.cluster import Cluster
from rebalance.groups.model.membership import Membership
from rebalance.groups.model.outbox import Outbox
from rebalance.groups.model.state import GroupState
from rebalance.groups.model.target import Target
from rebalance.ids import BrokerName, GroupName, MemberId, Queue, TopicName
from streaming.cell.packed import pack, pack_cluster, unpack, unpack_cluster
from tests.builders.filled import anything, filled
from tests.builders.group import a_group

FULL = filled(GroupState)
EMPTY = GroupState(FULL.name)


@pytest.mark.slow
@settings(max_examples=50)  # each is large
@given(anything(GroupState))
def test_a_group_comes_back_as_it_was(group: GroupState) -> None:
    """What is packed is unpacked unchanged, types and order included."""
    back = unpack(pack(group))

    assert group == back
    assert repr(sorted_sets(group)) == repr(sorted_sets(back))
    assert pack(group) == pack(back)


@settings(max_examples=50)
@given(anything(Cluster))
def test_a_cluster_comes_back_as_it_was(cluster: Cluster) -> None:
    """As a group does."""
    back = unpack_cluster(pack_cluster(cluster))

    assert cluster == back
    assert pack_cluster(cluster) == pack_cluster(back)


def test_a_beat_rewrites_nothing_but_the_pulses() -> None:
    """When only pulses and deadline changed, the rest is taken over, byte for byte."""
    before = a_group().with_member("a", seen=1).with_route("orders", 4).at_epoch(1).state
    after = a_group().with_member("a", seen=2).with_route("orders", 4).at_epoch(1).state
    was = pack(before)

    packed = pack(after, before, was)

    assert was.rest is packed.rest
    assert after == unpack(packed)
    assert after == unpack(packed, before)


@pytest.mark.parametrize("name", [it.name for it in fields(GroupState)])
def test_a_change_of_any_field_is_packed(name: str) -> None:
    """Whatever it is, it is never taken for what was packed before."""
    changed = replace(EMPTY, **{name: getattr(FULL, name)})

    assert changed == unpack(pack(changed, EMPTY, pack(EMPTY)))


@pytest.mark.parametrize("part", [Membership, Outbox])
def test_a_change_of_a_part_that_beats_is_packed(part: type[Membership | Outbox]) -> None:
    """A beat changes some of these parts; the rest of them is as slow as all else."""
    for field in fields(part):
        where = part.__name__.lower()
        value = getattr(getattr(FULL, where), field.name)
        changed = replace(EMPTY, **{where: replace(getattr(EMPTY, where), **{field.name: value})})
        if field.name != "pulses":  # no pulse without a member
            assert changed == unpack(pack(changed, EMPTY, pack(EMPTY)))


@pytest.mark.parametrize("strategy", ["AVG", "STICKY"])
def test_the_plan_of_a_strategy_can_be_kept(strategy: str) -> None:
    """A strategy may answer in a form of its own; what is kept of it is what it says."""
    queues = tuple(Queue(TopicName("orders"), BrokerName(""), number) for number in range(3))
    candidates = {MemberId(name): Applicant(frozenset({TopicName("orders")})) for name in "ab"}
    plan = allocator(strategy)(AllocationRequest(candidates, {TopicName("orders"): queues}))
    state = GroupState(GroupName("g"), target=Target(plan.owners))

    assert dict(plan.owners) == unpack(pack(state)).target.owners


def sorted_sets(group: GroupState) -> list[object]:
    """What the order of mappings shows in. A set of racks shows another one each time."""
    there = group.membership
    return [
        [list(it) for it in (there.members, there.pulses, there.suspected, group.target.owners)],
        list(group.handover.books.items()),
        [(name, replace(it, racks=())) for name, it in group.topics.routes.items()],
    ]
