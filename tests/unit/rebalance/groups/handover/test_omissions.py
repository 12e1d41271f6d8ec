"""Nothing that may have been promised is promised again: not all that was published was found."""

from rebalance.groups.handover.omissions import LEAP, REASON
from rebalance.groups.model.decisions import AssignmentWithdrawn, Freed, GroupAiled
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId, Millis
from tests.builders.amnesia import Remembered, at_work
from tests.builders.notation import queue_text
from tests.builders.records import beat_of, joined, left, released, routed
from tests.builders.story import only

LONGEST_S = 1_200
"""The longest session, and the longest revocation."""


def waits(story: Remembered, seconds: int, *beating: str) -> None:
    """Let time pass in which some beat."""
    for _ in range(seconds // 5):
        story.waits(seconds=5)
        if beating:
            story.reads(*(beat_of(name, epoch=story.state.epoch) for name in beating))


def test_what_nobody_was_found_to_have_rests() -> None:
    """And what others have stays where it is, though a newcomer is there and somebody goes."""
    story = at_work()
    pages = story.pages()
    story.forgets(lost=["b"])
    mine = {queue: page for queue, page in pages.items() if page.startswith("a")}
    story.reads(joined("c"))
    waits(story, 60, "a", "c")

    assert mine == story.pages()
    story.reads(left("a"))
    waits(story, 60, "c")
    assert {} == story.pages()


def test_whoever_was_not_found_is_told_at_each_beat() -> None:
    """That the group does not know it: it drops its queues, and joins anew."""
    story = at_work()
    story.forgets(lost=["b"])
    assert ["b"] == [it.member for it in only(AssignmentWithdrawn, story.decided)]
    story.reads(beat_of("b", epoch=2))
    assert ["b"] == [it.member for it in only(AssignmentWithdrawn, story.decided)]


def test_it_ends_when_nobody_unknown_was_heard_for_long_enough() -> None:
    """From its last beat on, as long as anybody may be silent and live, and no longer."""
    story = at_work()
    story.forgets(lost=["b"])
    waits(story, 100, "a")
    story.reads(beat_of("b", epoch=2))
    waits(story, LONGEST_S - 10, "a")
    assert 2 == len(story.pages())
    waits(story, 20, "a")

    assert {"a"} == set(story.owners().values())
    assert 4 == len(story.pages())
    assert [REASON, ""] == [it.reason for it in only(GroupAiled, story.decisions)]
    assert story.state.ailment is None


def handing_over() -> Remembered:
    """A is to give a queue to b, and has not yet."""
    story = at_work()
    story.reads(joined("c"))
    return story


def test_whoever_an_heir_waits_for_is_waited_for() -> None:
    """Though it was not found, it is the holder: the heir begins on its release and not before."""
    story = handing_over()
    moving = {queue: page for queue, page in story.pages().items() if ">" in page}
    [(queue, page)] = moving.items()
    holder, heir = page.split("!")[0], page.split(" > ")[1]
    story.forgets(lost=[page[0]])
    assert f"{holder} > {heir}" == story.pages()[queue]

    epoch, named = holder.split("@")[1], heir.split("@")[1]
    story.reads(released(page[0], f"{queue}@{epoch}>{named}"))
    assert heir == story.pages()[queue]


def test_an_heir_whose_holder_never_lets_go_begins_when_that_must_have_ended() -> None:
    """It was silent for as long as anybody may be."""
    story = handing_over()
    [(queue, page)] = [it for it in story.pages().items() if ">" in it[1]]
    story.forgets(lost=[page[0]])
    others = {"a", "b", "c"} - {page[0]}
    waits(story, LONGEST_S + 10, *sorted(others))

    assert story.pages()[queue].startswith(page.split(" > ")[1].split("@")[0])


def test_epochs_go_on_far_above_where_the_group_s_own_was_not_found() -> None:
    """Members may have records of any epoch below it."""
    story = at_work()
    story.forgets(lost=[""])

    assert LEAP < story.state.epoch


def test_nothing_changes_for_a_controller_that_forgot_nothing() -> None:
    """What it remembers is no older than what was found."""
    story = at_work()
    pages, epoch = story.pages(), story.state.epoch
    story.forgets(story.memory(), lost=["b"])

    assert (pages, epoch, None) == (story.pages(), story.state.epoch, story.state.ailment)


def test_a_group_of_which_only_the_epoch_was_found_is_not_taken_for_empty() -> None:
    """Its members were lost, and may work."""
    story = at_work(Policy(keep_empty_ms=Millis(1)))
    story.forgets(lost=["a", "b"])
    story.reads(joined("c"))
    waits(story, 60, "c")
    story.reads(beat_of("b", epoch=2))
    waits(story, 60, "c")

    assert {} == story.pages()
    waits(story, LONGEST_S)
    story.reads(joined("c"), routed("orders", 4))
    assert {"c"} == set(story.owners().values())


def test_who_was_promised_a_queue_gets_it_meanwhile() -> None:
    """Its holder goes, and the controller says so in the log, as ever: the heir waits for that."""
    story = at_work()
    story.reads(joined("c"))
    (queue,) = (it.queue for it in story.told("c").inherit)
    story.forgets(lost=["b"])
    story.reads(left("a"))
    (freed,) = only(Freed, story.decided)
    story.ticks()

    assert MemberId("a") == freed.member
    assert [queue] == [naming.queue for naming in freed.namings if naming.next is not None]
    assert {queue_text(queue): "c"} == story.owners()
    assert story.state.ailment is not None
