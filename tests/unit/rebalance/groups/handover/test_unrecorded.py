"""A controller that has forgotten, and queues that went on without it: by releases alone."""

import pytest

from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import Joined
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId
from tests.builders.amnesia import Remembered, a_story
from tests.builders.records import beat_of, drained, joined, left, released, routed
from tests.builders.story import only

ON = Policy(standing_heirs=True)
CLOCK_BACK_MS = 5_000


def two_at_work(policy: Policy = ON) -> Remembered:
    """Begin with a, who has the only queue, and b, who comes next."""
    story = a_story(policy)
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b"))
    assert {"orders-0": "a@1 > b@2"} == story.pages()
    story.away(seconds=1)
    return story


def all_restarted(story: Remembered) -> None:
    """Both are restarted in turn, and nobody reads it: the queue goes to b, and to the new a."""
    story.missed(
        released("a", "orders-0@1>2", own=False),
        left("a", sequence=90),
        joined("a:2"),
        drained("b", sequence=90),
        released("b", "orders-0@2>3=a:2"),
        left("b", sequence=91),
        joined("b:2"),
    )


@pytest.mark.parametrize("back_ms", [0, CLOCK_BACK_MS])
def test_a_queue_is_where_the_log_says_however_many_have_gone(back_ms: int) -> None:
    """All lives that were published have ended, perhaps by a clock that has jumped back.

    Seeds 121 and 1213 of the lives that roll and forget: their records were dropped unread, and so
    were the releases of what they had. The queues were granted afresh, beside those who had them.
    """
    story = two_at_work()
    story.wall -= back_ms
    all_restarted(story)
    story.forgets()

    assert "a:2@3" == story.pages()["orders-0"].split(" ")[0]


@pytest.mark.parametrize("remembers", [False, True])
def test_who_holds_by_a_release_alone_is_in_no_record_and_holds(*, remembers: bool) -> None:
    """It was named, its join was not read, and the controller forgets that it knew.

    Seed 857 of the lives that roll and forget: no record named the queue, so it was granted afresh.
    """
    story = two_at_work()
    backup = story.memory() if remembers else None
    story.reads(released("a", "orders-0@1>2=b:2"))
    assert "b:2@2!" == story.pages()["orders-0"][:6]
    story.away(seconds=1)
    story.forgets(backup)

    assert "b:2@2!5" == story.pages()["orders-0"].split(" ")[0]
    assert {} == story.freed()  # it works
    story.reads(joined("b:2"))
    assert ["b"] == [it.member for it in only(AssignmentIssued, story.decided) if it.portion.give]


def test_who_is_remembered_to_hold_by_a_release_holds() -> None:
    """The release was read before the copy of the checkpoint was taken; it is not read again."""
    story = two_at_work()
    story.reads(released("a", "orders-0@1>2=b:2"))
    backup = story.memory()
    story.reads(joined("c"))
    story.away(seconds=1)
    story.forgets(backup)

    assert "b:2@2!" == story.pages()["orders-0"][:6]


def test_who_was_a_stranger_then_and_has_a_record_now_is_a_member() -> None:
    """The log has lost its join since; its record says that it was let in."""
    story = two_at_work()
    story.reads(released("a", "orders-0@1>2=b:2"))
    backup = story.memory()
    story.reads(joined("b:2"))
    story.log = [it for it in story.log if not isinstance(it, Joined)]
    story.forgets(backup._replace(read=len(story.log)))

    assert "2" == story.state.membership.members[MemberId("b")].incarnation
    assert {} == story.state.handover.strangers


def test_of_the_releases_of_a_grant_the_first_one_counts() -> None:
    """A guard named b's next life; what the controller wrote after that names nobody."""
    story = two_at_work()
    story.reads(released("a", "orders-0@1>2=b:2"))
    story.missed(released("a", "orders-0@1", own=False))
    story.away(seconds=1)
    story.forgets()

    assert "b:2@2!" == story.pages()["orders-0"][:6]


def test_a_queue_that_was_released_to_nobody_is_free() -> None:
    """The last release says so, whatever those before it named."""
    story = two_at_work()
    story.reads(released("a", "orders-0@1>2=b:2"), released("b:2", "orders-0@2"), drained("b"))
    story.records.pop(next(name for name in story.records if name == "a"))
    story.forgets()

    assert "b:2@" not in str(story.pages())


def test_whoever_is_adopted_may_have_begun_by_itself() -> None:
    """Its last record is not read yet, so it names whom it likes: it is ended in the log."""
    story = two_at_work()
    story.reads(beat_of("a", epoch=2, owned="orders-0@1"))
    story.forgets()
    story.reads(left("b"))
    story.reads(left("a", sequence=99))

    assert {"a": "orders-0@1"} == story.freed()
