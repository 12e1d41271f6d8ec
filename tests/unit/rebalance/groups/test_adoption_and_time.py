"""Where the past ends that is published already, whatever the log says of the time."""

from rebalance.groups.adoption import published
from rebalance.groups.model.decisions import AssignmentIssued, HandedOver, MemberChanged
from rebalance.groups.model.events import BeatSeen
from rebalance.groups.model.state import GroupState
from rebalance.ids import GroupName
from rebalance.stamp import Ticked
from tests.builders.amnesia import at_work, beats
from tests.builders.records import advanced, at, beat_of, joined, left, routed
from tests.builders.story import only


def test_a_stamp_that_was_far_ahead_does_not_reopen_the_past() -> None:
    """A command of the past stays obeyed once, whatever one record before it says of the time."""
    day = 86_400_000
    stamps = [at(1_000), at(day), at(2_000, 2), at(9_000, 3), at(9_500, 4)]
    records = [joined("a"), beat_of("a"), left("a"), joined("b"), advanced(7, decided=5_000)]
    events = [record(stamp) for record, stamp in zip(records, stamps, strict=True)]

    news = published(GroupState(GroupName("billing")), events)
    assert news is not None
    assert events[news.begins :] == events[3:]


def test_who_joined_after_the_last_decision_has_a_whole_session() -> None:
    """Where a broker's clock went back, the past is in no order: it may have spoken at its end."""
    story = at_work()
    story.missed(joined("c"))
    story.forgets(late=11)
    story.waits(seconds=9)
    story.reads(*beats(story, "a", "b"))

    assert "c" in story.state.membership.members
    story.waits(seconds=2)
    assert "c" not in story.state.membership.members


def test_nobody_is_removed_within_the_batch_that_adopts() -> None:
    """What was kept for it has the stamps of its time, and the next one's join is old by then."""
    story = at_work()
    story.missed(joined("c"))
    for _ in range(6):
        story.wall += 2_000
        story.missed(routed("payments", 1))
    story.forgets()

    assert {"a", "b", "c"} == set(story.state.membership.members)


def test_who_was_removed_long_ago_stays_out() -> None:
    """Its join is still in the log, and no leave; the beats of the others are not read again."""
    story = at_work()
    for _ in range(5):
        story.waits(seconds=3)
        story.reads(*beats(story, "a"))
    story.settles()
    pages = story.pages()
    assert {"a"} == set(story.owners().values())
    story.log = [it for it in story.log if not isinstance(it, BeatSeen | Ticked)]
    story.forgets()

    assert ["a"] == list(story.state.membership.members)
    assert pages == story.pages()
    assert [] == only(MemberChanged, story.decided) + only(HandedOver, story.decided)
    assert {"a"} == {issued.member for issued in only(AssignmentIssued, story.decided)}
    story.reads(joined("b:2"))  # should it be alive, it asks again
    assert {"a", "b"} == set(story.state.membership.members)
