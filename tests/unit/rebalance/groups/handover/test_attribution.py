"""What a decision is laid to: the event that it follows from, and no other."""

import pytest

from rebalance.groups.model.commands import Pause
from rebalance.groups.model.decisions import AssignmentIssued, HandedOver, Rebalanced
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from tests.builders.amnesia import at_work, beats
from tests.builders.records import beat_of, commanded, joined, left, released, routed
from tests.builders.story import Story, only

SLOW_TARGETS = Policy(assignment_interval_ms=Millis(2_000))


def why(story: Story) -> str:
    """What the last summary says."""
    cause = only(GroupSummarised, story.decisions)[-1].cause
    return f"{cause.kind} of {cause.subject}"


def a_late_hand_over() -> Story:
    """A lets go of what b came for; z has joined meanwhile, and wants something else."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.reads(joined("z", "payments"))
    story.obeys("a")
    return story


def test_a_hand_over_is_laid_to_what_it_was_decided_for() -> None:
    """The queue goes to b because b came, whatever has happened since."""
    story = a_late_hand_over()

    [handed] = only(HandedOver, story.decided)
    assert ("join", "b") == (handed.cause.kind, handed.cause.subject)
    assert {"b"} == {it.cause.subject for it in only(AssignmentIssued, story.decided)}
    assert "join of b" == why(story)
    assert {} == story.state.handover.asked_causes


def test_what_is_asked_again_in_the_same_epoch_is_answered_alike() -> None:
    """The same epoch, the same bytes (I4)."""
    story = a_late_hand_over()
    [told] = [it for it in only(AssignmentIssued, story.decided) if it.member == "b"]

    story.reads(joined("b"))
    assert [told] == only(AssignmentIssued, story.decided)


def test_a_target_that_had_to_wait_is_laid_to_the_change_it_waited_with() -> None:
    """Not to the release that was booked meanwhile."""
    story = Story(policy=SLOW_TARGETS)
    story.reads(joined("a"), routed("orders", 4))
    story.waits(seconds=2)
    story.reads(joined("b"))
    story.reads(joined("z"))
    story.obeys("a")
    assert "join of b" == why(story)

    story.waits(seconds=2)
    [rebalanced] = only(Rebalanced, story.decisions)[2:]
    assert ("join", "z") == (rebalanced.cause.kind, rebalanced.cause.subject)


def test_what_changes_nothing_has_a_cause_too() -> None:
    """A temporary leave, a pause, a hold and its end: none of them is laid to the last change."""
    story = at_work()
    story.reads(left("a", sequence=50, temporary=True))
    assert "leave of a" == why(story)

    story = at_work()
    story.reads(commanded(Pause(), name="c1"))
    assert "command of c1" == why(story)


def test_a_hold_is_laid_to_the_silence_and_its_end_to_the_voice() -> None:
    """Who is silent, and who is heard again."""
    story = Story()
    story.reads(*(joined(name) for name in "abcd"), routed("orders", 4))
    story.waits(seconds=11)
    assert "expiry of a" == why(story)

    story.reads(*(beat_of(name, epoch=1) for name in "ab"))
    assert "expiry of d" == why(story)
    last = only(GroupSummarised, story.decisions)[-1]
    assert "enough others are heard again" == last.cause.detail


def test_a_hold_that_a_pause_rewrites_is_laid_to_the_silence() -> None:
    """Nobody is newly held, and yet an epoch is drawn."""
    story = Story()
    story.reads(*(joined(name) for name in "abcd"), routed("orders", 4))
    for _ in range(4):
        story.waits(seconds=3)
        story.reads(beat_of("a", epoch=1))
    assert {"b", "c", "d"} == set(story.state.membership.suspected)
    story.reads(commanded(Pause()))
    for _ in range(4):
        story.waits(seconds=3)
        story.reads(beat_of("a", epoch=1))

    assert {"b", "c", "d"} == set(story.state.membership.suspected)
    assert "expiry of d" == why(story)
    assert "paused" == only(GroupSummarised, story.decisions)[-1].cause.detail


def test_what_a_member_lets_go_unasked_is_laid_to_that() -> None:
    """It is going, and its time for that is over."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("z", "payments"))
    story.reads(released("a", "orders-0@1"))

    assert "drain of a" == why(story)


@pytest.mark.parametrize("named", [">3", ""], ids=["c", "nobody"])
def test_a_hand_over_to_another_heir_is_laid_to_what_made_it_the_heir(named: str) -> None:
    """The holder was asked for b, who left; the queue goes to c for another reason."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.reads(left("b", sequence=50), joined("c"))
    story.reads(released("a", f"orders-1@1{named}"))

    [handed] = only(HandedOver, story.decided)
    assert ("a", "c", "join", "c") == (
        handed.from_member,
        handed.to_member,
        handed.cause.kind,
        handed.cause.subject,
    )


def test_beats_have_no_reasons() -> None:
    """Nothing is decided, and nothing is kept."""
    story = at_work()
    before = story.state
    story.reads(*beats(story, "a", "b"))
    assert (before.outbox.epoch_cause, before.handover.asked_causes) == (
        story.state.outbox.epoch_cause,
        story.state.handover.asked_causes,
    )
