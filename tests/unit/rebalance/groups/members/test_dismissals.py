"""Dismissals: a command to drain outlives the life that it was given to, and not its process."""

import pytest

from allocators import allocator
from rebalance.groups.members import dismissals
from rebalance.groups.model import drained
from rebalance.groups.model.commands import DrainMember
from rebalance.groups.model.events import Joined
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Epoch, Incarnation, Life, MemberId, start_of
from tests.builders.group import a_group
from tests.builders.records import at, commanded, joined, left, routed
from tests.builders.story import Story

MANY = 1_100
LIFE = Incarnation("7-1")


def drain(name: str) -> DrainMember:
    """Stop a member, whatever is left without a worker."""
    return DrainMember(MemberId(name), force=True)


def test_no_drain_of_many_is_forgotten() -> None:
    """Part of a large group is drained, and the first one comes back as a later life."""
    story = Story(allocator=allocator("STICKY"))
    names = [f"m{number:04}" for number in range(MANY)]
    story.reads(*(joined(f"{name}:7-1") for name in names), routed("orders", 4))
    story.reads(*(commanded(drain(name)) for name in names))
    story.reads(joined("m0000:7-2", last_epoch=story.state.epoch))

    assert story.state.membership.members[MemberId("m0000")].dismissed


def test_as_many_are_listed_as_the_group_may_have_members() -> None:
    """Processes that died stay listed, so the first ones make room."""
    draft = a_group().drafted(Policy(max_members=2))
    for name in "abc":
        draft.rules.drained.add(Life(MemberId(name), LIFE), draft.policy.max_members)

    assert ["b", "c"] == [it.member for it in draft.rules.closed().drained]


@pytest.mark.parametrize("rule", [TwinRule.FENCE_OLDER, TwinRule.SEPARATE])
def test_a_process_that_leaves_is_listed_no_more(rule: TwinRule) -> None:
    """Whoever comes by its name is another process; but one that is away comes back."""
    story = Story(Policy(on_twin=rule), allocator=allocator("STICKY"))
    story.reads(joined("a:7-1"), joined("b:7-1"), joined("c:7-1"), routed("orders", 4))
    names = sorted(story.state.membership.members)
    story.reads(*(commanded(drain(name)) for name in names))
    story.reads(left("a:7-1"), left("b:7-1", temporary=True))

    assert names[1:] == [it.member for it in story.state.rules.drained]


def test_the_list_is_looked_through_once_for_all_that_join(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fleet joins, and a hundred were drained: each of those is looked at once."""
    looked = list[str]()

    def counted(incarnation: Incarnation) -> str:
        looked.append(incarnation)
        return start_of(incarnation)

    monkeypatch.setattr(drained, "start_of", counted)
    draft = a_group().drafted(Policy(on_twin=TwinRule.SEPARATE))
    listed = tuple(Life(MemberId(f"m{number}@7-1"), LIFE) for number in range(100))
    draft.rules.drained = drained.Drained(listed)
    joins = [joined(f"m{number}:7-2", last_epoch=Epoch(1))(at(0)) for number in range(200)]
    held = [isinstance(it, Joined) and dismissals.holds(draft, it) for it in joins]

    assert held == [True] * 100 + [False] * 100
    assert 100 + 200 == len(looked)
