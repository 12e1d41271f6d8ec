"""A process that was frozen comes back, and another one has its name or its instance by now."""

import pytest

from rebalance.groups.model.decisions import TwinsMet
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Epoch, InstanceId
from tests.builders.notation import life, life_text
from tests.builders.records import joined, routed
from tests.builders.story import Story, only

HERS = InstanceId("i")


def lives(story: Story) -> set[str]:
    """Who is in the group."""
    return {
        life_text(name, member.incarnation)
        for name, member in story.state.membership.members.items()
    }


BACK = {
    # name: (the rule for members, for instances, who replaced it, as whom it comes back)
    "by name": ("fence-older", "fence-older", "a:3", "a:2"),
    "by name, on a machine whose clock is behind": ("fence-older", "fence-older", "a:3", "a:4"),
    "by name, where newer ones wait": ("refuse-newer", "fence-older", "a:3", "a:4"),
    "by instance": ("fence-older", "fence-older", "c", "a:2"),
    "by instance, on a machine whose clock is behind": ("fence-older", "fence-older", "c", "a:4"),
    "by instance, in turn": ("fence-older", "hand-over", "c", "a:4"),
    "by instance, where newer ones wait": ("fence-older", "refuse-newer", "c", "a:4"),
    "by instance, where lives are told apart": ("separate", "fence-older", "c", "a:4"),
    "both, where lives are told apart": ("separate", "fence-older", "a:3", "a:4"),
}


@pytest.mark.parametrize(
    ("of_members", "of_instances", "successor", "zombie"), BACK.values(), ids=BACK
)
@pytest.mark.parametrize("silent", [True, False])
def test_a_process_that_comes_back_evicts_no_successor(
    of_members: str, of_instances: str, successor: str, zombie: str, *, silent: bool
) -> None:
    """It was frozen, and says up to which epoch it knew of itself; the other came later (C3)."""
    rules = TwinRule(of_members), TwinRule(of_instances)
    story = Story(policy=Policy(on_twin=rules[0], on_twin_instance=rules[1]))
    story.reads(joined("a", instance=HERS), routed("orders", 2))
    known = story.state.epoch
    story.waits(seconds=11)
    assert not story.state.membership.members
    story.reads(joined(successor, instance=HERS))
    members, owners = set(story.state.membership.members), story.owners()
    if silent:  # for long enough to look dead, and not for a session
        story.waits(seconds=8)

    for sequence in (1, 2):  # it asks again
        story.reads(joined(zombie, instance=HERS, last_epoch=known, sequence=sequence))
        assert members == set(story.state.membership.members)
        assert owners == story.owners()
    story.waits(seconds=11)
    story.reads(joined(zombie, instance=HERS, last_epoch=known, sequence=3))
    assert [life(zombie)[1]] == [it.incarnation for it in story.state.membership.members.values()]


def test_who_was_handing_over_does_not_come_back_for_it() -> None:
    """It knows of its successor's first epoch, and fences itself before it has let go."""
    story = Story(policy=Policy(on_twin_instance=TwinRule.HAND_OVER))
    story.reads(joined("a", instance=HERS), routed("orders", 2))
    story.reads(joined("c:3", instance=HERS))
    known = story.state.epoch
    story.reads(joined("a:2", instance=HERS, last_epoch=known))
    assert {"a", "c:3"} == lives(story)

    story.obeys("a")
    assert {"c"} == set(story.owners().values())


def test_instances_of_two_are_no_reason_to_refuse() -> None:
    """Where both are to stay it comes back beside the other."""
    story = Story(policy=Policy(on_twin_instance=TwinRule.SEPARATE))
    story.reads(joined("a", instance=HERS), routed("orders", 2))
    known = story.state.epoch
    story.waits(seconds=11)
    story.reads(joined("c", instance=HERS))
    story.reads(joined("a:2", instance=HERS, last_epoch=known))

    assert {"a:2", "c"} == lives(story)


def test_a_process_that_comes_back_replaces_itself() -> None:
    """It never read the answer to its last life, so it knows of nothing since."""
    story = Story()
    story.reads(joined("a:1-1", instance=HERS), routed("orders", 2))
    known = story.state.epoch
    story.waits(seconds=11)
    story.reads(joined("a:1-2", instance=HERS, last_epoch=known))
    story.reads(joined("a:1-3", instance=HERS, last_epoch=known))

    assert {"a:1-3"} == lives(story)


@pytest.mark.parametrize("of_members", ["fence-older", "refuse-newer", "separate"])
@pytest.mark.parametrize("of_instances", ["fence-older", "refuse-newer", "hand-over"])
def test_who_comes_back_need_not_wait_for_itself(of_members: str, of_instances: str) -> None:
    """Kafka was away, and nobody has come in its place: its earlier life is no twin of it."""
    rules = TwinRule(of_members), TwinRule(of_instances)
    story = Story(policy=Policy(on_twin=rules[0], on_twin_instance=rules[1]))
    story.reads(joined("a:1-1", instance=HERS), routed("orders", 2))
    story.reads(joined("a:1-2", instance=HERS, last_epoch=story.state.epoch))

    assert [] == only(TwinsMet, story.decided)
    assert ["1-2"] == [member.incarnation for member in story.state.membership.members.values()]
    assert {story.owners()[name] for name in story.owners()} == set(story.state.membership.members)


@pytest.mark.parametrize("of_instances", ["fence-older", "hand-over", "refuse-newer"])
def test_of_two_that_started_in_one_millisecond_the_greater_stays(of_instances: str) -> None:
    """They begin with the same start; the other one's life is not an earlier one of its own."""
    story = Story(policy=Policy(on_twin_instance=TwinRule(of_instances)))
    story.reads(joined("c:1-6", instance=HERS), routed("orders", 2))
    for sequence in (1, 2):
        story.reads(joined("a:1-3", instance=HERS, last_epoch=Epoch(0), sequence=sequence))
        assert {"c:1-6"} == lives(story)


def test_nor_is_it_a_twin_where_lives_have_names_of_their_own() -> None:
    """Its earlier life is still there, under the name of that."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a:1-1"), routed("orders", 2))
    story.reads(joined("a:1-2", last_epoch=story.state.epoch))
    assert [] == only(TwinsMet, story.decided)
    story.reads(joined("a:3"))
    assert 1 == len(only(TwinsMet, story.decided))
