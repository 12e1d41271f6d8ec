"""A controller that has forgotten, and what members were promised."""

from rebalance.groups.model.events import Released
from rebalance.groups.model.overview import GroupPhase
from rebalance.groups.model.policy import Policy
from tests.builders.amnesia import Remembered, a_story, beats
from tests.builders.records import beat_of, drained, joined, marked, released, routed

ON = Policy(standing_heirs=True)


def changed_mind() -> Remembered:
    """Begin with an heir that gave way to another, while its holder said what it had.

    Which of the two it is to name it had not read then.
    """
    story = a_story(ON)
    story.reads(joined("a"), routed("orders", 1))
    story.reads(joined("b"))
    story.reads(joined("c"), drained("b"), beat_of("a", epoch=2, owned="orders-0@1"))
    assert {"orders-0": "a@1 > c@3 / b@2"} == story.pages()
    story.away(seconds=1)
    return story


def test_a_beat_of_the_past_ends_no_promise() -> None:
    """Its holder had read an older record then, and named b when it went."""
    story = changed_mind()
    story.forgets()
    assert {"orders-0": "a@1 > c@3 / b@2"} == story.pages()

    story.reads(beat_of("a", epoch=3, owned="orders-0@1"))
    assert {"orders-0": "a@1 > c@3 / b@2"} == story.pages()  # it has told what it had in 4 since

    story.reads(released("a", "orders-0@1>2"))
    assert "b@2" == story.pages()["orders-0"].partition("!")[0]


def test_a_beat_of_now_ends_a_promise() -> None:
    """Its holder has read the record by which the controller began again."""
    story = changed_mind()
    story.forgets()
    story.reads(beat_of("a", epoch=story.state.epoch, owned="orders-0@1"))

    assert {"orders-0": "a@1 > c@3"} == story.pages()


def without_marks() -> Remembered:
    """Begin with three that had shown their marks; the log has lost these, and not the joins."""
    story = a_story(ON)
    story.reads(*(joined(name, marks=True) for name in "abc"))
    story.reads(*map(marked, "abc"), routed("orders", 3))
    story.ticks()
    story.log = [moment for moment in story.log if not isinstance(moment, Released)]
    story.forgets()
    return story


def test_who_was_told_something_need_not_mark_again() -> None:
    """It has read the releases since before it joined; its queues are promised as they were."""
    story = without_marks()
    books = story.state.handover.books

    assert not any(it.awaits_mark for it in story.state.membership.members.values())
    assert all(books[queue].heir for queue in books)
    assert GroupPhase.STABLE == story.phase()


def test_who_drains_hands_over_to_who_need_not_mark_again() -> None:
    """Nobody waits for a mark that was written long ago."""
    story = without_marks()
    story.reads(*beats(story, *"abc"))
    story.reads(drained("a"))
    assert all(naming.next for naming in story.told("a").give)
    story.settles()

    assert {"b", "c"} == set(story.owners().values())
    assert [] == list(story.state.handover.loose)
