"""Adoption: a controller that has forgotten goes on from what it published (faults A6, A7)."""

from dataclasses import replace

from rebalance.groups.model.decisions import (
    AssignmentIssued,
    HandedOver,
    MemberChanged,
)
from rebalance.groups.model.events import Portion
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import InstanceId, Millis
from tests.builders.amnesia import Remembered, a_story, at_work, beats
from tests.builders.notation import life
from tests.builders.records import (
    advanced,
    joined,
    left,
    released,
    routed,
)
from tests.builders.story import only


def a_record_kept_back() -> Remembered:
    """B is told to wait for a queue of a's, and a crash kept a from being told to give it."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    old = story.records[life("a")[0]]
    story.reads(joined("b"))
    story.records[life("a")[0]] = old
    return story


def told_now(story: Remembered) -> set[int]:
    """The epochs of what was published last."""
    return {issued.epoch for issued in only(AssignmentIssued, story.decided)}


def test_a6_nothing_moves() -> None:
    """The checkpoint is deleted: everybody keeps what it has, under the grants that it has."""
    story = at_work()
    pages, epoch = story.pages(), story.state.epoch
    story.forgets()

    assert pages == story.pages()
    assert epoch + 2 == story.state.epoch
    assert {epoch + 2} == told_now(story)
    assert {"a", "b"} == {issued.member for issued in only(AssignmentIssued, story.decided)}


def test_a6_a_past_that_was_told_already_is_not_told_again() -> None:
    """The history says what happened now, and why, and nothing of a week ago."""
    story = at_work()
    story.forgets()

    assert [] == only(MemberChanged, story.decided) + only(HandedOver, story.decided)
    [summary] = only(GroupSummarised, story.decided)
    assert ("adoption", "billing") == (summary.cause.kind, summary.cause.subject)
    assert "epoch 3 was published" == summary.cause.detail


def test_a6_with_a_log_that_begins_later() -> None:
    """Members and routes that the log has lost are taken from what is published, and work on."""
    story = at_work()
    pages = story.pages()
    story.forgets(kept=len(story.log))

    assert pages == story.pages()
    assert {"a", "b"} == set(story.state.membership.members)
    assert all(issued.join_again for issued in only(AssignmentIssued, story.decided))
    [topic] = only(GroupSummarised, story.decided)[0].topics
    assert ("orders", 0, 4) == (topic.topic, topic.version, topic.queues)


def test_a_member_that_says_its_join_again_is_known_again() -> None:
    """All that its record did not say comes back, above all its instance; nothing moves."""
    story = a_story()
    join = joined("a", "orders payments", instance=InstanceId("i"), rack="r", weight=2)
    story.reads(join, routed("orders", 2))
    member, pages = story.state.membership.members[life("a")[0]], story.pages()
    story.forgets(kept=len(story.log))
    story.reads(join)
    again = story.state.membership.members[life("a")[0]]

    assert member == replace(again, since=member.since, sequence=member.sequence)
    assert pages == story.pages()
    assert not any(issued.join_again for issued in only(AssignmentIssued, story.decided))


def test_a_member_that_never_speaks_again_expires() -> None:
    """What is published is no sign of life for longer than a session."""
    story = at_work()
    story.forgets(kept=len(story.log))
    story.waits(seconds=9)
    story.reads(*beats(story, "a"))
    story.waits(seconds=2)

    assert ["a"] == list(story.state.membership.members)
    assert {"a"} == set(story.owners().values())


def test_nobody_is_removed_by_the_batch_that_adopts_it() -> None:
    """A batch that holds a long past may end a session later; nobody was asked to beat in it."""
    story = at_work()
    pages = story.pages()
    story.forgets(kept=len(story.log), late=11)
    assert pages == story.pages()

    story.waits(seconds=9)
    story.reads(*beats(story, "a"))
    story.waits(seconds=2)
    assert ["a"] == list(story.state.membership.members)


def test_nobody_is_fenced_for_what_it_was_never_told() -> None:
    """A crash kept back the record that told a to give; its time begins when it can read it."""
    story = a_record_kept_back()
    for _ in range(30):
        story.away(seconds=3)
        story.missed(*beats(story, "a", "b"))
    story.forgets()

    assert "a@1!4 > b@2" == story.pages()["orders-1"]
    assert {"a", "b"} == set(story.state.membership.members)


def test_timeouts_that_were_published_hold_whatever_the_rules_are_now() -> None:
    """Members count by those; whether their joins are still in the log or not."""
    for kept in (0, 3):
        story = at_work()
        story.policy = Policy(
            session_timeout_ms=Millis(3_000),
            session_timeout_ms_min=Millis(3_000),
            max_clock_step_ms=Millis(600),
            heartbeat_interval_ms=Millis(1_000),
            revocation_timeout_ms=Millis(2_000),
        )
        story.forgets(kept=kept)
        told = story.state.membership.members[life("a")[0]]
        assert (10_000, 60_000) == (told.session_timeout_ms, told.revocation_timeout_ms)


def test_a7_an_old_backup() -> None:
    """What it does not know happened all the same: epochs and books are those published."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 4))
    backup = story.memory()
    story.reads(joined("b"))
    story.settles()
    story.reads(joined("c"))
    story.settles()
    pages, epoch = story.pages(), story.state.epoch
    story.forgets(backup)

    assert (pages, epoch + 2) == (story.pages(), story.state.epoch)
    assert {"a", "b", "c"} == set(story.state.membership.members)


def test_a7_queues_that_were_being_handed_over() -> None:
    """A hand-over of the backup's time is over; one of now goes on."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 4))
    story.reads(joined("b"))
    backup = story.memory()
    story.settles()
    story.reads(joined("c"))
    pages = story.pages()
    story.forgets(backup)

    assert pages == story.pages()
    story.settles()
    assert {"a", "b", "c"} == set(story.owners().values())


def test_a_restart_finds_nothing_new() -> None:
    """What is published is what is remembered: no epoch, no record, no change, no state."""
    story = at_work()
    before = story.state
    story.forgets(story.memory())

    assert [] == story.decided
    assert before == story.state


def test_only_the_last_start_counts() -> None:
    """What an earlier start found is in the log as well, and out of date."""
    story = at_work()
    story.forgets()
    story.reads(left("b"))
    story.waits(seconds=1)
    pages = story.pages()
    story.forgets(kept=len(story.log) - 6)

    assert pages == story.pages()
    assert ["a"] == list(story.state.membership.members)


def test_a_release_that_nobody_had_read() -> None:
    """What members said while nobody listened counts, against what is published."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.wall += 1
    story.missed(released("a", "orders-1@1>2"))
    story.forgets()

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


def test_a_release_just_before_the_last_decision() -> None:
    """It may not have been read by then, so it is heeded as well."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.missed(released("a", "orders-1@1>2"))
    story.forgets()

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


def test_a_member_that_left_while_nobody_listened() -> None:
    """It is gone, and its queues have a new owner as soon as its release is read back."""
    story = at_work()
    story.wall += 1
    story.missed(left("b", sequence=99))
    story.forgets()

    assert ["a"] == list(story.state.membership.members)
    assert {"b": "orders-2@2>5 orders-3@2>5"} == story.freed()
    story.ticks()
    assert {"a"} == set(story.owners().values())


def test_members_that_came_while_nobody_listened() -> None:
    """A younger life takes over from the published one; a newcomer gets its share."""
    story = at_work()
    story.wall += 1
    story.missed(joined("b:2"), joined("c"))
    story.forgets()
    story.ticks()

    lives = {name: member.incarnation for name, member in story.state.membership.members.items()}
    assert {"a": "1", "b": "2", "c": "1"} == lives
    assert [] == [page for page in story.pages().values() if page.startswith("b@")]


def test_a_topic_made_anew_long_ago_is_not_called_back() -> None:
    """Its queues were granted afresh then."""
    story = a_story()
    story.reads(joined("a"), routed("orders", 2, generation="x"))
    backup = story.memory()
    story.waits(seconds=1)
    story.reads(routed("orders", 2, version=2, generation="y"))
    story.settles()
    story.waits(seconds=1)
    pages = story.pages()
    story.forgets(backup)

    assert pages == story.pages()


def test_a_group_that_was_empty() -> None:
    """Only its epoch is left, and it must not be drawn again: tokens only grow."""
    story = at_work()
    story.reads(left("a"), left("b"))
    story.ticks()
    epoch = story.state.epoch
    story.forgets(kept=len(story.log))

    assert GroupState.unknown(story.state.name, epoch) == story.state
    assert [] == story.decided

    story.reads(joined("c"))
    assert [epoch + 1] == [it.epoch for it in only(AssignmentIssued, story.decided)]


def test_a_stranger_that_writes_old_news() -> None:
    """What is not newer than the group is ignored, and makes no group."""
    story = at_work()
    before = story.state

    assert [] == story.finds(advanced(before.epoch))
    assert before == story.state


def test_nothing_is_taken_for_want_of_a_record() -> None:
    """A crash kept a member's new record from being written: its old one counts."""
    story = a_record_kept_back()
    story.forgets()

    assert {"orders-0": "a@1", "orders-1": "a@1!4 > b@2"} == story.pages()
    assert Portion() != story.told("a")
