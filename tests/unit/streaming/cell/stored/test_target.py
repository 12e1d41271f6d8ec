"""The target's standing heirs: what is stored is read, and is dealt on from there."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from rebalance.groups.model.policy import Policy
from rebalance.groups.model.target import Target
from rebalance.groups.standing.dealing import Standing
from rebalance.ids import MemberId, Queue
from streaming.cell.packed import pack, unpack
from tests.builders.amnesia import Remembered, a_story, beats
from tests.builders.group import a_group
from tests.builders.notation import queue
from tests.builders.records import Record, drained, joined, left, released, routed

A, B, C = map(MemberId, "abc")
ONE, OTHER = queue("orders-0"), queue("orders-1")
OWNERS = {ONE: A, OTHER: B}

HEIRS: dict[str, Mapping[Queue, MemberId]] = {
    "for all": {ONE: B, OTHER: A},
    "for all, in another order": {OTHER: A, ONE: B},
    "for some": {OTHER: C},
    "for none": {},
    "for what nobody owns any more": {queue("orders-7"): A, ONE: C},
}


@pytest.mark.parametrize("heirs", HEIRS.values(), ids=HEIRS)
def test_heirs_come_back_as_they_were(heirs: Mapping[Queue, MemberId]) -> None:
    """Whether they are a map, or know their register."""
    group = a_group().with_member("a").with_member("b").at_epoch(1).state
    group = replace(group, target=Target(OWNERS, group.epoch, heirs=heirs))
    registered = replace(group, target=replace(group.target, heirs=Standing(OWNERS, heirs)))

    for state in (group, registered):
        back = unpack(pack(state)).target
        assert (OWNERS, dict(heirs)) == (back.owners, dict(back.heirs))
    assert group == registered
    assert pack(group) == pack(registered)


CHANGES: dict[str, tuple[Record, ...]] = {
    "one leaves": (released("a", "orders-0@1>2 orders-1@1>2"), left("a")),
    "one leaves and says nothing": (left("b"),),
    "one drains": (drained("c"),),
    "one joins": (joined("d"),),
    "one joins as another leaves": (left("c"), joined("d")),
    "one wants something else": (joined("b", "visits", sequence=50), routed("visits", 2)),
    "one is of another kind": (joined("b", rack="r", weight=3, sequence=50),),
    "one is away for a while": (left("a", temporary=True),),
    "there are more queues": (routed("orders", 12, version=2),),
    "there are other queues": (joined("d", "orders visits"), routed("visits", 5)),
}


def at_rest() -> Remembered:
    """Begin with a, b and c, who share six queues; each queue has its standing heir."""
    story = a_story(Policy(standing_heirs=True))
    story.reads(joined("a"), joined("b"), joined("c"), routed("orders", 6))
    story.ticks()
    return story


@pytest.mark.parametrize("records", CHANGES.values(), ids=CHANGES)
def test_whoever_has_kept_its_register_decides_the_same(records: tuple[Record, ...]) -> None:
    """A controller that has just started has none: it looks at more, and finds nothing else."""
    kept, restarted = at_rest(), at_rest()
    assert isinstance(kept.state.target.heirs, Standing)
    assert kept.state.target.heirs.register is not None
    for batch in (records, beats(kept, "a", "b", "c"), [joined("e")], [left("e")]):
        restarted.state = unpack(pack(restarted.state))
        assert not isinstance(restarted.state.target.heirs, Standing)

        assert kept.reads(*batch) == restarted.reads(*batch)
        assert pack(kept.state) == pack(restarted.state)
