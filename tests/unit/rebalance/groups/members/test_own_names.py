"""A change of the rule for twins counts for lives that come."""

import sys
from collections import Counter
from dataclasses import replace

import pytest

from rebalance.groups.model.commands import DrainMember, UndrainMember
from rebalance.groups.model.decisions import AssignmentIssued, AssignmentWithdrawn, Freed
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import Epoch, InstanceId, MemberId
from tests.builders.notation import queue_text
from tests.builders.records import beat_of, commanded, joined, left, released, routed
from tests.builders.story import Story, only

CHANGES = [
    (TwinRule.FENCE_OLDER, TwinRule.SEPARATE, ("a", "b"), "c@1"),
    (TwinRule.SEPARATE, TwinRule.FENCE_OLDER, ("a@1", "b@1"), "c"),
]
SESSION_S = 10


def a_story(before: TwinRule, after: TwinRule) -> Story:
    """Begin with two members that own two queues, and the rule changed."""
    story = Story(policy=Policy(standing_heirs=True, on_twin=before))
    story.reads(joined("a"), joined("b"), routed("orders", 2))
    story.reads(beat_of("a", epoch=9), beat_of("b", epoch=9))
    story.policy = replace(story.policy, on_twin=after)
    return story


def living(story: Story) -> set[str]:
    """Return the names of the members."""
    return {str(name) for name in story.state.membership.members}


@pytest.mark.parametrize(("before", "after", "names", "newcomer"), CHANGES)
def test_nobody_is_renamed(
    before: TwinRule, after: TwinRule, names: tuple[str, str], newcomer: str
) -> None:
    """For longer than a session: no record, no move. Who comes then is named by the new rule."""
    story = a_story(before, after)
    begun = len(story.decisions)
    for _ in range(2 * SESSION_S):
        story.wall += 1_000
        story.reads(beat_of("a", epoch=9), beat_of("b", epoch=9))

    told = story.decisions[begun:]
    assert [] == only(AssignmentIssued, told) + only(AssignmentWithdrawn, told)
    assert set(names) == living(story)
    story.reads(joined("c"))
    assert {*names, newcomer} == living(story)


@pytest.mark.parametrize(("before", "after", "names", "newcomer"), CHANGES)
def test_what_is_released_for_one_that_is_silent_is_booked(
    before: TwinRule, after: TwinRule, names: tuple[str, str], newcomer: str
) -> None:
    """Once: under the name that the pages know."""
    del newcomer
    story = a_story(before, after)
    freed = 0
    for _ in range(6 * SESSION_S):
        story.wall += 1_000
        freed += len(only(Freed, story.reads(beat_of("a", epoch=9))))

    assert 1 == freed
    assert {names[0]} == living(story)
    assert {MemberId(names[0])} == {it.holder.member for it in story.state.handover.books.values()}
    assert {None} == {it.asked for it in story.state.handover.books.values()}


@pytest.mark.slow
def test_many_restarts_in_a_batch_cost_as_much_as_they_are() -> None:
    """Twice as many members that release their queues and come back cost twice as much."""
    few, many = (calls_for_restarts(members) for members in (25, 50))

    assert many < 2.2 * few


def calls_for_restarts(members: int) -> int:
    """Count the calls of the step in which all but one release everything and join anew."""
    story = Story(policy=Policy(standing_heirs=True))
    names = [f"m{it}" for it in range(members)]
    story.reads(joined("z"), *map(joined, names), routed("orders", 8 * members))
    story.reads(*(beat_of(name, epoch=9) for name in ("z", *names)))
    pages = story.state.handover.books.items()
    held = {
        name: " ".join(
            f"{queue_text(queue)}@{page.holder.epoch}>{page.heirs[0].epoch}={page.heirs[0].member}"
            for queue, page in pages
            if page.holder.member == name
        )
        for name in names
    }
    again = [
        it for name, grants in held.items() for it in (released(name, grants), joined(f"{name}:2"))
    ]
    calls = Counter[str]()
    sys.setprofile(lambda _frame, event, _what: calls.update([event]))
    try:
        story.reads(*again)
    finally:
        sys.setprofile(None)
    return calls["call"]


def test_a_drain_is_of_a_process_whatever_its_lives_are_called() -> None:
    """The next life does not get queues again; once that is allowed, the one after it does."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a"), joined("b:5-1"), routed("orders", 2))
    story.reads(commanded(DrainMember(MemberId("b@5-1"))))
    story.reads(joined("b:5-2", last_epoch=Epoch(1)))
    assert story.state.membership.members[MemberId("b@5-2")].draining

    story.reads(commanded(UndrainMember(MemberId("b@5-2"))))
    story.reads(joined("b:5-3", last_epoch=Epoch(1)))
    assert not story.state.membership.members[MemberId("b@5-3")].draining


def test_who_comes_and_goes_rests_whatever_its_lives_are_called() -> None:
    """Each has a name of its own, and all have one past (C11)."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE, flap_limit=4))
    story.reads(joined("a"), routed("orders", 2))
    for number in range(1, 6):
        story.reads(joined(f"b:5-{number}"))
        story.waits(seconds=1)
        story.reads(left(f"b:5-{number}"))
    story.reads(joined("b:5-6"))

    assert story.state.membership.members[MemberId("b@5-6")].resting_until is not None


@pytest.mark.parametrize("instance", [None, InstanceId("b")])
def test_a_process_that_is_started_again_and_again_rests_by_its_instance(
    instance: InstanceId | None,
) -> None:
    """Its name may be that of a whole fleet, and says nothing (C11)."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE, flap_limit=4))
    story.reads(joined("a"), routed("orders", 2))
    for number in range(1, 6):
        story.reads(joined(f"b:{number}-0", instance=instance))
        story.waits(seconds=1)
        story.reads(left(f"b:{number}-0"))
    story.reads(joined("b:6-0", instance=instance))

    rests = story.state.membership.members[MemberId("b@6-0")].resting_until is not None
    assert rests is (instance is not None)


def test_a_fleet_of_one_name_has_no_past_in_common() -> None:
    """Its containers are restarted one after the other, and none comes and goes."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE, flap_limit=4))
    story.reads(*(joined(f"b:{number}-0") for number in range(1, 7)), routed("orders", 2))
    for number in range(1, 7):
        story.reads(left(f"b:{number}-0"))
        story.waits(seconds=1)
        story.reads(joined(f"b:{number + 10}-0"))

    assert 6 == len(story.state.membership.members)
    assert {None} == {it.resting_until for it in story.state.membership.members.values()}


def test_twins_are_drained_one_by_one() -> None:
    """They share a name, and each is a process of its own."""
    story = Story(policy=Policy(on_twin=TwinRule.SEPARATE))
    story.reads(joined("a"), joined("b:5-1"), joined("b:6-1"), routed("orders", 2))
    for twin in ("b@5-1", "b@6-1"):
        story.reads(commanded(DrainMember(MemberId(twin)), name=twin))
    story.reads(joined("b:5-2", last_epoch=Epoch(1)))

    assert story.state.membership.members[MemberId("b@5-2")].draining
