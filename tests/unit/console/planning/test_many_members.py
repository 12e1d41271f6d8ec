"""Plans of a group whose summary has no room for all its members."""

import pytest

from allocators import allocator
from rebalance.groups.model.commands import DrainMember
from rebalance.ids import MemberId
from tests.builders.records import commanded
from tests.unit.console.planning.published_group import (
    NAME,
    Ask,
    PublishedGroup,
    moved,
    route,
    told,
)

pytestmark = pytest.mark.slow  # each is about a thousand members

MEMBERS = 1_003


@pytest.fixture
def group() -> PublishedGroup:
    """Three members more than a summary names, and a queue for each."""
    group = PublishedGroup()
    group.story.allocator = allocator("STICKY")
    group.joins(*(f"m{number:04}" for number in range(MEMBERS)))
    group.hears(route("orders", MEMBERS))
    group.waits(1)
    return group


def test_who_drains_is_known_of_many_members(group: PublishedGroup, ask: Ask) -> None:
    """By name it is one of the last; a plan gives it nothing."""
    group.obeys(DrainMember(MemberId("m1001")))
    group.obeys(DrainMember(MemberId("m1002")))
    code, plan = ask("plan", NAME, "--drain", "m0000")
    before = group.owners()
    group.obeys(DrainMember(MemberId("m0000")))

    assert (0, []) == (code, plan["unknown"])
    assert moved(before, group.owners()) == told(plan)
    assert plan["moved"]


def test_who_drains_may_be_unknown_where_nearly_all_do(group: PublishedGroup, ask: Ask) -> None:
    """There is no room for all of them either."""
    names = (MemberId(f"m{number:04}") for number in range(1, MEMBERS))
    group.story.reads(*(commanded(DrainMember(it), name=f"drain-{it}") for it in names))
    group.waits(1)

    unknown = "who drains, rests or is away among the 3 members that the summary does not name"
    assert [unknown] == ask("plan", NAME, "--drain", "m0001")[1]["unknown"]
