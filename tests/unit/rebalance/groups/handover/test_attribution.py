"""What a decision is laid to: the event that it follows from, and no other."""

from dataclasses import replace

import pytest

from allocators import allocator
from rebalance.causes import CauseKind
from rebalance.groups.model.commands import DrainMember, EvictMember, Pause
from rebalance.groups.model.decisions import AssignmentIssued, HandedOver, Rebalanced
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from tests.builders.amnesia import at_work, beats
from tests.builders.notation import naming_text
from tests.builders.records import (
    Record,
    beat_of,
    commanded,
    drained,
    joined,
    left,
    released,
    routed,
)
from tests.builders.story import Story, only

HEIRS = Policy(standing_heirs=True)
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


@pytest.mark.parametrize("leaves", [True, False])
def test_nothing_is_laid_to_a_command_that_was_refused(*, leaves: bool) -> None:
    """It comes in one batch with a temporary leave, or with the release of what b came for."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("a"), joined("p", "pay"), routed("orders", 2), routed("pay", 1))
    story.reads(joined("b"))
    refused = commanded(DrainMember(MemberId("p")), name="c1")
    if leaves:
        story.obeys("a")
    asked = story.records[MemberId("a")]
    give = " ".join(map(naming_text, asked.portion.give)) if asked else ""
    story.reads(left("b", temporary=True) if leaves else released("a", give), refused)
    assert ("leave of b" if leaves else "join of b") == why(story)
    causes = {it.cause.kind for it in only(AssignmentIssued, story.decided)}
    assert CauseKind.COMMAND not in causes

    story.settles()
    story.ticks()
    story.reads(commanded(DrainMember(MemberId("p")), name="c2"))
    assert "command of c2" == why(story), "nothing else happened"


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


def test_a_hold_that_a_pause_rewrites_is_laid_to_the_pause() -> None:
    """Nobody is newly silent; and once it is written nothing more is said of it."""
    story = Story()
    story.reads(*(joined(name) for name in "abcd"), routed("orders", 4))
    for _ in range(4):
        story.waits(seconds=3)
        story.reads(beat_of("a", epoch=1))
    assert {"b", "c", "d"} == set(story.state.membership.suspected)
    story.reads(commanded(Pause(), name="c1"))
    assert "command of c1" == why(story)
    told = len(only(GroupSummarised, story.decisions))
    for _ in range(4):
        story.waits(seconds=3)
        story.reads(beat_of("a", epoch=1))

    assert {"b", "c", "d"} == set(story.state.membership.suspected)
    assert told == len(only(GroupSummarised, story.decisions))


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


def heirs_at_rest() -> Story:
    """Three members, whose queues have standing heirs."""
    story = Story(policy=HEIRS, allocator=allocator("STICKY"))
    story.reads(*map(joined, "abc"), routed("orders", 6))
    story.ticks()
    return story


def handed_over(story: Story) -> set[tuple[str, str, str]]:
    """Whose queues went over in the last batch, and why."""
    found = only(HandedOver, story.decided)
    return {(it.from_member, it.cause.kind.value, it.cause.subject) for it in found}


@pytest.mark.parametrize("beside", [True, False], ids=["in its batch", "before it"])
@pytest.mark.parametrize(
    ("ends", "cause"),
    [
        (commanded(EvictMember(MemberId("a")), name="c1"), ("command", "c1")),
        (left("a"), ("leave", "a")),
        (None, ("expiry", "a")),
    ],
    ids=["evicted", "left", "silent"],
)
def test_what_is_released_for_who_is_gone_is_laid_to_its_end(
    ends: Record | None, cause: tuple[str, str], *, beside: bool
) -> None:
    """Not to what changes the group until that release is read back, and moves nothing."""
    story = heirs_at_rest()
    if ends is None:
        story.waits(seconds=6)
        story.reads(beat_of("b", epoch=2), beat_of("c", epoch=2))
        story.waits(seconds=4)
    else:
        story.reads(ends)
    written, story.unheard = story.unheard, story.unheard if beside else []
    story.reads(joined("z", "payments"))
    if not beside:
        story.unheard = written
        story.ticks()
        assert " of ".join(cause) == why(story)
    assert {("a", *cause)} == handed_over(story)


def test_what_a_stranger_had_is_laid_to_its_end() -> None:
    """It never joined; what has changed meanwhile is of somebody else."""
    story = heirs_at_rest()
    story.policy = replace(HEIRS, session_timeout_ms_max=Millis(10_000))
    story.reads(released("a", "orders-0@1>9=x:7"))
    story.reads(joined("z", "payments"))
    story.waits(seconds=6)
    story.reads(*(beat_of(it, epoch=story.state.epoch) for it in "abcz"))
    story.waits(seconds=4)

    assert "expiry of x" == why(story)
    story.reads(joined("y", "payments"))
    assert {("x", "expiry", "x")} == handed_over(story)


def test_what_a_member_lets_go_is_laid_to_that_beside_a_join() -> None:
    """Which changes nothing of it; nor if it had been asked for, and the heirs are older."""
    story = heirs_at_rest()
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"), joined("z", "payments"))
    assert {("a", "drain", "a")} == handed_over(story)

    story = heirs_at_rest()
    story.reads(drained("a"))
    story.reads(released("a", "orders-0@1>2 orders-1@1>2"), joined("z", "payments"))
    assert {("a", "drain", "a")} == handed_over(story)


def test_beats_have_no_reasons() -> None:
    """Nothing is decided, and nothing is kept."""
    story = at_work()
    before = story.state
    story.reads(*beats(story, "a", "b"))
    assert (before.outbox.epoch_cause, before.handover.asked_causes) == (
        story.state.outbox.epoch_cause,
        story.state.handover.asked_causes,
    )
