"""A controller that is started with other settings decides anew, once, and says why."""

import json
from dataclasses import replace
from typing import Any

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan, AllocationRequest
from rebalance.causes import CauseKind
from rebalance.groups.model.commands import ChooseStrategy, Pause, Resume
from rebalance.groups.model.decisions import AssignmentIssued, Rebalanced
from rebalance.groups.model.events import Mode
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from tests.builders.records import Record, commanded, joined, left, routed
from tests.builders.story import Story, only, two_members

AT_FIRST = Policy(strategy="AVG")


def reset(story: Story, **settings: Any) -> None:  # noqa: ANN401 - of any of them
    """Have the next start find other settings."""
    story.policy = replace(story.policy, **settings)
    options = json.loads(story.policy.strategy_options)
    story.allocator = allocator(story.policy.strategy, options)


def canaries(percent: int) -> dict[str, str]:
    """The settings of a strategy with options."""
    options = {"prefix": "a", "percent": percent, "inner": "AVG"}
    return {"strategy": "CANARY", "strategy_options": json.dumps(options, sort_keys=True)}


def fails(_: AllocationRequest) -> AllocationPlan:
    """Be a user's strategy that never answers."""
    raise ValueError("not today")


def sharing(policy: Policy, topics: str = "orders", mode: Mode = Mode.SHARED) -> Story:
    """Four members that own nothing of eight queues."""
    story = Story(policy)
    story.reads(*(joined(name, topics, mode=mode) for name in "abcd"), routed("orders", 8))
    story.waits(seconds=2)
    return story


def owned(story: Story, member: str) -> list[int]:
    """The queues that are meant for a member."""
    return sorted(it.id for it, owner in story.state.target.owners.items() if owner == member)


def test_another_strategy_is_asked_at_the_start_and_once() -> None:
    """The settings are the cause, and the summary names the new one."""
    story = two_members(queues=6, policy=AT_FIRST)
    reset(story, strategy="AVG_BY_CIRCLE")
    decided = story.starts()

    assert [0, 2, 4] == owned(story, "a")
    (rebalanced,), (summary,) = only(Rebalanced, decided), only(GroupSummarised, decided)
    assert (CauseKind.SETTINGS, "the strategy was AVG", 2) == (
        rebalanced.cause.kind,
        rebalanced.cause.detail,
        rebalanced.moves,
    )
    assert ("AVG_BY_CIRCLE", CauseKind.SETTINGS) == (summary.strategy, summary.cause.kind)
    story.settles()
    story.waits(seconds=2)
    assert [] == story.starts()


def test_under_the_same_settings_a_start_says_nothing() -> None:
    """And keeps what was decided."""
    story = two_members(queues=6, policy=AT_FIRST)
    story.waits(seconds=2)
    before = story.state
    assert [] == story.starts()
    assert (before.target, before.outbox) == (story.state.target, story.state.outbox)


def test_a_topic_that_nobody_shares_any_more_has_no_other_share_number() -> None:
    """Its route is forgotten while nothing is decided, and so is the number."""
    story = sharing(Policy(share_number=1), topics="orders other")
    story.reads(routed("other", 8))
    story.reads(*(joined(name, mode=Mode.SHARED) for name in "abcd"))
    story.waits(seconds=2)
    story.reads(routed("orders", 8, version=2))
    assert ["orders"] == [*story.state.topics.routes]
    assert [] == story.starts()


def test_other_options_are_another_strategy() -> None:
    """Of the canaries, say."""
    story = Story(AT_FIRST)
    reset(story, **canaries(10))
    story.reads(joined("a"), joined("b"), routed("orders", 10))
    assert 1 == len(owned(story, "a"))
    reset(story, **canaries(50))
    story.starts()

    assert 5 == len(owned(story, "a"))
    said = only(Rebalanced, story.decided)[0].cause.detail
    assert "strategy_options or standing_heirs were different" == said


def test_heirs_stand_by_from_the_start_on_that_wants_them() -> None:
    """And no longer from one on that does not."""
    story = two_members(queues=6, policy=AT_FIRST)
    reset(story, standing_heirs=True)
    story.starts()
    assert 6 == len(story.state.target.heirs)
    reset(story, standing_heirs=False)
    story.starts()
    assert {} == story.state.target.heirs


def test_the_last_of_many_changes_at_a_start_is_the_settings() -> None:
    """Who joined meanwhile is not what moved all queues."""
    story = two_members(queues=6, policy=AT_FIRST)
    reset(story, strategy="AVG_BY_CIRCLE")
    story.starts(joined("z", "other"))

    detail = "the strategy was AVG, with 1 other change"
    assert [detail] == [it.cause.detail for it in only(Rebalanced, story.decided)]


@pytest.mark.parametrize("event", [joined("e", mode=Mode.SHARED), left("d")], ids=["join", "leave"])
def test_another_share_number_is_the_cause_whoever_came_or_left_meanwhile(event: Record) -> None:
    """Those of before are told another share because of it."""
    story = sharing(Policy(share_number=1))
    reset(story, share_number=2)
    story.starts(event)

    detail = "share numbers were different, with 1 other change"
    told = only(AssignmentIssued, story.decided)
    assert {"a", "b"} <= {it.life.member for it in told}
    assert {(CauseKind.SETTINGS, detail)} == {(it.cause.kind, it.cause.detail) for it in told}


def test_all_that_is_different_is_said() -> None:
    """In one cause."""
    story = sharing(Policy(strategy="AVG", share_number=1))
    story.reads(joined("owner"))
    story.waits(seconds=2)
    reset(story, strategy="AVG_BY_CIRCLE", share_number=2)
    story.starts()

    said = {it.cause.detail for it in only(AssignmentIssued, story.decided)}
    assert {"the strategy was AVG; share numbers were different"} == said


@pytest.mark.parametrize("mode", [Mode.BROADCASTING, Mode.SHARED])
def test_a_group_in_which_nobody_owns_anything_has_no_strategy(mode: Mode) -> None:
    """None decides for it; who comes to own something is dealt by what is in force then."""
    story = sharing(AT_FIRST, mode=mode)
    reset(story, strategy="AVG_BY_CIRCLE")
    assert [] == story.starts()
    story.reads(joined("o"), joined("p"))
    story.waits(seconds=2)
    assert [0, 2, 4, 6] == owned(story, "o")


def test_a_group_with_a_strategy_of_its_own_keeps_it() -> None:
    """Until it is taken back, when the controller's present one is asked."""
    story = two_members(queues=6, policy=AT_FIRST)
    story.reads(commanded(ChooseStrategy("STICKY")))
    story.waits(seconds=2)
    reset(story, strategy="AVG_BY_CIRCLE")
    assert [] == story.starts()

    story.reads(commanded(ChooseStrategy(None)))
    story.waits(seconds=2)
    assert [0, 2, 4] == owned(story, "a")
    story.settles()
    story.waits(seconds=2)
    assert [] == story.starts()


def test_a_group_that_is_paused_waits_with_it() -> None:
    """The pause holds it back, whatever starts meanwhile."""
    story = two_members(queues=6, policy=AT_FIRST)
    story.reads(commanded(Pause()))
    story.waits(seconds=2)
    reset(story, strategy="AVG_BY_CIRCLE")
    story.starts()
    story.waits(seconds=2)
    assert ([0, 1, 2], []) == (owned(story, "a"), story.starts())
    story.reads(commanded(Resume()))
    assert [0, 2, 4] == owned(story, "a")


def test_what_failed_under_other_settings_is_tried_by_those_of_before() -> None:
    """To take the settings back is the first thing that one does."""
    story = two_members(queues=6, policy=AT_FIRST)
    story.policy, story.allocator = replace(story.policy, strategy="mine:f"), fails
    story.starts()
    assert story.state.ailment is not None
    assert [0, 1, 2] == owned(story, "a")
    reset(story, strategy="AVG")
    story.starts()
    story.waits(seconds=2)
    assert story.state.is_out
    assert [0, 1, 2] == owned(story, "a")


def test_an_empty_group_has_nothing_to_decide() -> None:
    """Who comes is dealt by what is in force then."""
    story = two_members(queues=6, policy=AT_FIRST)
    story.reads(left("a"), left("b"))
    story.waits(seconds=2)
    reset(story, strategy="AVG_BY_CIRCLE")
    assert [] == story.starts()
    story.reads(joined("a:2"), joined("b:2"))
    story.waits(seconds=2)
    assert [0, 2, 4] == owned(story, "a")


def test_what_an_older_release_left_is_taken_for_what_is_in_force() -> None:
    """It did not say; nothing moves at an upgrade, and from then on it is known."""
    story = two_members(queues=6, policy=AT_FIRST)
    story.waits(seconds=2)
    story.state = replace(story.state, target=replace(story.state.target, asked=""))
    assert [] == story.starts()
    reset(story, strategy="AVG_BY_CIRCLE")
    story.starts()
    assert [0, 2, 4] == owned(story, "a")


def test_by_which_numbers_an_older_release_told_a_ring_is_not_known() -> None:
    """It may have told them by two. So all are told once, and the cause does not say more."""
    story = sharing(Policy(share_number=1))
    target, outbox = story.state.target, story.state.outbox
    older = replace(target, asked=""), replace(outbox, share_numbers={})
    story.state = replace(story.state, target=older[0], outbox=older[1])

    said = {it.cause.detail for it in only(AssignmentIssued, story.starts())}
    assert {"share numbers were not known"} == said
    story.waits(seconds=2)
    assert [] == story.starts()


@pytest.mark.parametrize(
    "settings",
    [{"share_number": 2}, {"share_numbers": (("orders", 2),)}],
    ids=["for all topics", "for this topic"],
)
def test_another_share_number_is_told_to_the_whole_ring(settings: dict[str, Any]) -> None:
    """At the start and once; who joins later finds all at the same number."""
    story = sharing(Policy(share_number=1))
    assert [4] * 4 == [len(story.told(name).hold) for name in "abcd"]
    reset(story, **settings)
    decided = story.starts()

    assert [6] * 4 == [len(story.told(name).hold) for name in "abcd"]
    assert {CauseKind.SETTINGS} == {it.cause.kind for it in only(AssignmentIssued, decided)}
    assert [] == only(Rebalanced, decided)
    story.waits(seconds=2)
    assert [] == story.starts()
    story.reads(joined("e", mode=Mode.SHARED))
    assert [6, 5, 4, 4, 5] == [len(story.told(name).hold) for name in "abcde"]


def test_a_share_number_that_concerns_nobody_is_told_to_nobody() -> None:
    """Not to members that own their queues, nor for another topic."""
    story = sharing(Policy(share_number=1))
    owners = two_members(queues=6)
    owners.waits(seconds=2)
    reset(story, share_numbers=(("other", 2), ("else/orders", 2)))
    reset(owners, share_number=2)

    assert [] == [*story.starts(), *owners.starts()]
