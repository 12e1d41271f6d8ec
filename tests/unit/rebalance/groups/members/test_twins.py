"""Twins: who keeps a name that two lives claim."""

from collections import Counter

import pytest

from rebalance.groups.model.commands import Pause
from rebalance.groups.model.decisions import TwinsMet
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import InstanceId, Life, MemberId
from tests.builders.notation import life_text
from tests.builders.records import MemberRecord, beat_of, commanded, joined, left, routed
from tests.builders.story import Story, only

HERS = InstanceId("i")
SEPARATE = Policy(on_twin=TwinRule.SEPARATE)


def lives(story: Story) -> set[str]:
    """Who is in the group."""
    return {
        life_text(name, member.incarnation)
        for name, member in story.state.membership.members.items()
    }


CLAIMS = {
    # name: (the rule for members, for instances, who comes, who is in the roster then)
    "a restart": ("fence-older", "refuse-newer", joined("a:2"), {"a:2", "b"}),
    "a restart that waits": ("refuse-newer", "fence-older", joined("a:2"), {"a", "b"}),
    "an instance": ("refuse-newer", "fence-older", joined("c", instance=HERS), {"b", "c"}),
    "an instance that waits": (
        "fence-older",
        "refuse-newer",
        joined("c", instance=HERS),
        {"a", "b"},
    ),
    "an instance of two": ("fence-older", "separate", joined("c", instance=HERS), {"a", "b", "c"}),
    "an instance in turn": (
        "fence-older",
        "hand-over",
        joined("c", instance=HERS),
        {"a", "b", "c"},
    ),
    "an instance that restarts": (
        "fence-older",
        "refuse-newer",
        joined("a:2", instance=HERS),
        {"a:2", "b"},
    ),
    "another instance": (
        "refuse-newer",
        "refuse-newer",
        joined("c", instance=InstanceId("k")),
        {"a", "b", "c"},
    ),
}


@pytest.mark.parametrize(
    ("of_members", "of_instances", "newcomer", "expected"), CLAIMS.values(), ids=CLAIMS
)
def test_a_rule_decides_who_keeps_a_name(
    of_members: str, of_instances: str, newcomer: MemberRecord, expected: set[str]
) -> None:
    """The rules for members and for instances are chosen apart (C1, C2)."""
    policy = Policy(on_twin=TwinRule(of_members), on_twin_instance=TwinRule(of_instances))
    story = Story(policy=policy)
    story.reads(joined("a", instance=HERS), joined("b"))
    story.reads(newcomer)

    assert expected == lives(story)


def test_a_conflict_names_both() -> None:
    """Whoever reads the history can find the two processes."""
    story = Story()
    story.reads(joined("a"))
    met = only(TwinsMet, story.reads(joined("a:2")))

    assert [("a", "a:2", TwinRule.FENCE_OLDER)] == [
        (life_text(*each.older), life_text(*each.newer), each.rule) for each in met
    ]


def test_two_that_are_told_apart_are_named_too() -> None:
    """Both work on; of a fleet with one name each newcomer is named with the one before it."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a"), joined("b"))
    story.reads(joined("a:2"), joined("a:3"))

    met = only(TwinsMet, story.decided)
    assert [("a@1", "a@2"), ("a@2", "a@3")] == [(it.older[0], it.newer[0]) for it in met]
    assert {TwinRule.SEPARATE} == {it.rule for it in met}
    assert {"a@1", "a@2", "a@3", "b@1"} == set(story.state.membership.members)

    story.waits(seconds=9)
    story.reads(joined("a:4"))  # after a silence of all the others it is a restart
    assert [] == only(TwinsMet, story.decided)


def test_a_twin_is_met_though_a_later_one_has_come_and_gone() -> None:
    """All within one batch."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a"))
    story.reads(joined("a:3"), left("a:3"), joined("a:4"))

    met = only(TwinsMet, story.decided)
    assert [("a@1", "a@3"), ("a@1", "a@4")] == [(it.older[0], it.newer[0]) for it in met]


def test_a_late_join_of_an_earlier_life_fences_nobody() -> None:
    """Not where lives are told apart either: the instance is the younger one's (B4)."""
    policy = Policy(on_twin=TwinRule.SEPARATE, on_twin_instance=TwinRule.FENCE_OLDER)
    story = Story(policy=policy)
    story.reads(joined("a", instance=HERS), routed("orders", 2))
    story.reads(joined("a:2", instance=HERS))
    story.reads(joined("a", instance=HERS, sequence=7))

    assert {"a@2"} == set(story.state.membership.members)
    assert {"a@2"} == set(story.owners().values())

    story.reads(joined("b", instance=HERS))  # of another name nobody knows which is the older
    assert {"b@1"} == set(story.state.membership.members)


def test_what_a_name_was_to_have_goes_with_its_first_life() -> None:
    """Its second one, which came in the same batch, had nothing yet that could be succeeded to."""
    policy = Policy(on_twin_instance=TwinRule.HAND_OVER)
    other = InstanceId("j")
    apart, together = Story(policy=policy), Story(policy=policy)
    claims = (
        joined("b", instance=HERS),
        joined("a:9", instance=other),
        joined("c", instance=other),
    )
    for story in (apart, together):
        story.reads(joined("a", instance=HERS), routed("orders", 2))
        story.reads(commanded(Pause()))
    for claim in claims:
        apart.reads(claim)
    together.reads(*claims)

    assert (
        {"b"}
        == set(together.state.target.owners.values())
        == set(apart.state.target.owners.values())
    )


def test_a_restart_after_a_silence_is_no_conflict() -> None:
    """Who was not heard of for two heartbeats has hardly a living twin."""
    story = Story()
    story.reads(joined("a"))
    story.waits(seconds=7)

    assert [] == only(TwinsMet, story.reads(joined("a:2")))


def test_who_is_away_is_replaced_without_a_question() -> None:
    """Coming back is not a conflict, whatever the rule."""
    policy = Policy(on_twin=TwinRule.REFUSE_NEWER, on_twin_instance=TwinRule.REFUSE_NEWER)
    story = Story(policy=policy)
    story.reads(joined("a", instance=HERS), joined("b"))
    story.reads(left("a", temporary=True))
    decided = story.reads(joined("a:2", instance=HERS))

    assert {"a:2", "b"} == lives(story)
    assert [] == only(TwinsMet, decided)


def test_a_full_group_lets_a_member_be_replaced() -> None:
    """A static member that comes back under another name does not make the group larger."""
    story = Story(policy=Policy(max_members=2))
    story.reads(joined("a", instance=HERS), joined("b"))
    story.reads(joined("c", instance=HERS), joined("d"))

    assert {"b", "c"} == set(story.state.membership.members)


def test_twins_of_one_name_cannot_hand_over() -> None:
    """The records for both would have one key."""
    with pytest.raises(ValueError, match="on_twin cannot be hand-over"):
        Policy(on_twin=TwinRule.HAND_OVER)


def test_twins_of_one_batch_meet() -> None:
    """Whoever came earlier in the batch has the instance already (C2)."""
    story = Story()
    met = only(TwinsMet, story.reads(joined("a", instance=HERS), joined("b", instance=HERS)))

    assert [("a", "b")] == [(each.older[0], each.newer[0]) for each in met]
    assert {"b"} == lives(story)


@pytest.mark.parametrize(
    ("rule", "expected"), [("fence-older", {"b:2"}), ("refuse-newer", {"a", "b"})]
)
def test_a_restart_may_claim_an_instance_too(rule: str, expected: set[str]) -> None:
    """Its own older life is not all that it may displace: a wrong setting is met as well (C2)."""
    story = Story(policy=Policy(on_twin_instance=TwinRule(rule)))
    story.reads(joined("a", instance=HERS), joined("b"))
    met = only(TwinsMet, story.reads(joined("b:2", instance=HERS)))

    assert expected == lives(story)
    assert "a" in [each.older[0] for each in met]


def test_a_life_keeps_the_instance_it_came_with() -> None:
    """Or it could take one, by joining again, whose owner is never asked."""
    story = Story()
    story.reads(joined("a", instance=HERS), joined("b"))
    story.reads(joined("b", instance=HERS))

    assert [HERS, None] == [member.instance for member in story.state.membership.members.values()]


def test_two_that_fence_each_other_for_ever_are_damped() -> None:
    """After some swaps within a while the older one stays, and it is said (C2)."""
    story = Story()
    story.reads(joined("a:1", instance=HERS))
    for life in range(2, 12):
        (living,) = story.state.membership.members
        story.reads(joined(f"{'c' if living == 'a' else 'a'}:{life}", instance=HERS))
        story.waits(seconds=1)
        story.reads(*(beat_of(who) for who in lives(story)))
    rules = [met.rule for met in only(TwinsMet, story.decisions)]

    assert [TwinRule.FENCE_OLDER] * 4 == rules[:4]
    assert {TwinRule.REFUSE_NEWER} == set(rules[4:])
    assert {"a:5"} == lives(story)


def test_a_restart_is_not_damped_with_them() -> None:
    """A life that is silent is no twin, however often its instance has changed hands."""
    story = Story()
    for life in range(1, 9):
        story.reads(joined(f"{'ac'[life % 2]}:{life}", instance=HERS))
        story.waits(seconds=7)

    assert {"a:8"} == lives(story)


def test_a_name_that_leaves_no_room_is_not_told_apart() -> None:
    """No record could say the longer name; so its younger life wins, and that is said (C21)."""
    story, long = Story(policy=Policy(on_twin=TwinRule.SEPARATE)), 254 * "n"
    story.reads(joined("a"), joined(long))
    apart, met = only(TwinsMet, story.reads(joined("a:2"), joined(f"{long}:2")))

    assert {"a@1", "a@2", long} == set(story.state.membership.members)
    assert (TwinRule.SEPARATE, TwinRule.FENCE_OLDER) == (apart.rule, met.rule)


@pytest.mark.parametrize("pairs", [40, 80])
def test_a_fleet_that_restarts_in_one_batch_costs_its_size(
    monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    """Each old life leaves, and a new one comes: who is there is looked up once, not for each."""
    story = Story(policy=SEPARATE)
    story.reads(*(joined(f"m{number}:1") for number in range(pairs)))
    named = Counter[str]()

    class Counted:
        def __get__(self, life: Life, _: type[Life]) -> MemberId:
            named["times"] += 1
            return MemberId(life.member.removesuffix(f"@{life.incarnation}"))

    monkeypatch.setattr(Life, "shared_name", Counted())
    goings = [(left(f"m{number}:1"), joined(f"m{number}:2")) for number in range(pairs)]
    story.reads(*(it for going in goings for it in going))

    assert pairs == len(story.state.membership.members)
    assert named["times"] <= 10 * pairs


def test_the_last_twin_that_is_still_there_is_named() -> None:
    """The one after it has gone in the same batch."""
    story = Story(policy=SEPARATE)
    story.reads(joined("a:1"), joined("a:2"))
    met = only(TwinsMet, story.reads(left("a:2"), joined("a:3")))

    assert ["a@1"] == [life_text(*each.older) for each in met]
