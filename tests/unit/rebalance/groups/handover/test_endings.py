"""Endings: every release that counts or does not, and lives that end."""

from dataclasses import replace

import pytest

from rebalance.groups.handover import endings, omissions
from rebalance.groups.model.decisions import Ending, Freed, HandedOver
from rebalance.groups.model.draft import Draft
from rebalance.ids import Epoch, MemberId
from tests.builders.group import GroupBuilder, a_group
from tests.builders.notation import life, namings, page_text, queue
from tests.builders.records import at, beat_of, joined, released, routed
from tests.builders.story import Story, handing_over, only
from trimtab.protocol import limits

BOOKS = (
    a_group().with_route("orders", 2).with_member("a").with_member("b").with_member("c").at_epoch(5)
)


def after_release(group: GroupBuilder, who: str, grants: str) -> Draft:
    """Book one release."""
    draft = group.drafted()
    endings.book(draft, released(who, grants)(at(700)))
    return draft


def first_page(draft: Draft) -> str:
    """Write the page of the only queue."""
    return page_text(draft.handover.books.get(queue("orders-0")))


RELEASES = {
    # what is: (page, who releases, its grant and the next, next page)
    "by the holder, naming the heir": ("a@1!2 > b@2", "a", "1>2", "b@2"),
    "by the holder, naming one that was promised it before": (
        "a@1!2 > c@3 / b@2",
        "a",
        "1>2",
        "b@2",
    ),
    "by the holder, naming one that nobody wishes for": ("a@1!2 / b@2", "a", "1>2", "b@2"),
    "by the holder, naming nobody": ("a@1!2 > b@2", "a", "1", ""),
    "by the holder, naming whom nobody promised it": ("a@1!2 > b@2", "a", "1>3", ""),
    "by the holder, without an heir": ("a@1!2", "a", "1", ""),
    "by the holder, unasked": ("a@1", "a", "1", ""),
    "by the holder, unasked, naming the next": ("a@1 > b@2", "a", "1>2", "b@2"),
    "of a holder that is over": ("a@1!2x > b@2", "a", "1>2", "b@2"),
    "of a holder that is over, naming another": ("a@1!2x > c@3 / b@2", "a", "1>2", "b@2"),
    "by an heir that is named no more": ("a@1!2 / b@2", "b", "2", "a@1!2 / b@2"),
    "by the heir, unasked": ("a@1!2 > b@2", "b", "2", "a@1!2 > b@2"),
    "repeated": ("b@2", "a", "1>2", "b@2"),
    "repeated, naming another": ("b@2", "a", "1>3", "b@2"),
    "of an older epoch": ("a@4!5 > b@5", "a", "1>5", "a@4!5 > b@5"),
    "of an older life": ("a:2@1!2 > b@2", "a", "1>2", "a:2@1!2 > b@2"),
    "of a zombie, long after": ("c@5", "a", "1>2", "c@5"),
    "of a stranger": ("a@1!2 > b@2", "x", "1>2", "a@1!2 > b@2"),
    "of the heir's epoch by the holder": ("a@1!2 > b@2", "a", "2", "a@1!2 > b@2"),
}


@pytest.mark.parametrize(("before", "who", "naming", "expected"), RELEASES.values(), ids=RELEASES)
def test_release_counts_for_the_exact_grant(
    before: str, who: str, naming: str, expected: str
) -> None:
    """Queue, member, incarnation and epoch must match, and then whom it names begins."""
    group = BOOKS.with_page("orders-0", before)

    assert expected == first_page(after_release(group, who, f"orders-0@{naming}"))


@pytest.mark.parametrize("own", [True, False])
def test_of_all_releases_of_a_grant_the_first_counts(*, own: bool) -> None:
    """Whoever wrote it: the holder, its guard or the controller."""
    draft = BOOKS.with_page("orders-0", "a@1!2x > c@3 / b@2").drafted()
    for named, its_own in ((2, own), (3, not own)):
        release = released("a", f"orders-0@1>{named}")(at(700))
        endings.book(draft, replace(release, own=its_own))

    assert "b@2" == first_page(draft)
    ending = Ending.RELEASED if own else Ending.FENCED
    assert {("a", "b", 2, ending, None)} == set(draft.outbox.passages)


def test_release_of_an_unknown_queue_is_ignored() -> None:
    """A claim of what was never granted changes nothing (C9)."""
    assert {} == after_release(BOOKS, "a", "orders-7@1").handover.books.written


def test_release_of_several_queues_is_booked_one_by_one() -> None:
    """Those that match count, whatever the others are."""
    group = BOOKS.with_page("orders-0", "a@1!2 > b@2").with_page("orders-1", "b@2")
    draft = after_release(group, "a", "orders-0@1>2 orders-1@1>2")

    assert "b@2" == first_page(draft)
    assert [queue("orders-0")] == list(draft.handover.books.written)


def test_handed_over_queue_is_told_with_its_duration() -> None:
    """From telling the holder to hearing its release, for each pair of members."""
    draft = after_release(BOOKS.with_page("orders-0", "a@1!2 > b@2"), "a", "orders-0@1>2")
    passage = draft.outbox.passages[MemberId("a"), MemberId("b"), Epoch(2), Ending.RELEASED, None]

    assert [queue("orders-0")] == passage.queues
    assert 700 == passage.duration_ms


# -- what a beat proves (C7)

REPAIRS = {
    # what is: (page, beating member, its epoch, what it owns, next page)
    "release lost": ("a@1!2 > b@2", "a", 2, "", "a@1!2x > b@2"),
    "release lost, no heir": ("a@1!2", "a", 2, "", ""),
    "release lost, it may have named one that is named no more": (
        "a@1!2 / b@2",
        "a",
        2,
        "",
        "a@1!2x / b@2",
    ),
    "heir that is named no more": ("a@1!2 / b@2", "b", 3, "", "a@1!2 / b@2"),
    "still working on it": ("a@1!2 > b@2", "a", 2, "orders-0@1", "a@1!2 > b@2"),
    "has not read the record yet": ("a@1!2 > b@2", "a", 1, "", "a@1!2 > b@2"),
    "owns it under another epoch": ("a@1!2 > b@2", "a", 2, "orders-0@7", "a@1!2x > b@2"),
    "of an older life": ("a:2@1!2 > b@2", "a", 2, "", "a:2@1!2 > b@2"),
    "was not told to give": ("a@1", "a", 9, "", "a@1"),
    "an heir that waits": ("a@1!2 > b@2", "b", 2, "", "a@1!2 > b@2"),
    "an heir that says it has begun": (
        "a@1!2 > b@2",
        "b",
        2,
        "orders-0@2",
        "a@1!2 > b@2",
    ),
    "a standing heir that says it has begun": (
        "a@1 > b@2",
        "b",
        2,
        "orders-0@2",
        "a@1 > b@2",
    ),
    "an heir that has begun, of a holder that is over": (
        "a@1!2x > b@2",
        "b",
        2,
        "orders-0@2",
        "b@2",
    ),
}


@pytest.mark.parametrize(
    ("before", "who", "epoch", "owned", "expected"), REPAIRS.values(), ids=REPAIRS
)
def test_beat_proves_a_release_that_was_lost(
    before: str, who: str, epoch: int, owned: str, expected: str
) -> None:
    """Who acted on "give" and no longer lists the queue has let it go, whatever was lost.

    If an heir may begin on its release, that is written again; the first one counts.
    """
    draft = BOOKS.with_page("orders-0", before).drafted()
    beat = beat_of(who, epoch=epoch, owned=owned)(at(0))
    assert beat.owned is not None
    endings.repair(draft, beat, beat.owned)

    assert expected == first_page(draft)
    assert ("x" in expected) is (queue("orders-0") in draft.handover.over)


# -- lives that ended

ENDED = {
    # what is: (page, lives that ended, next page)
    "holder": ("a@1", ["a"], ""),
    "holder that somebody comes after": ("a@1 > b@2", ["a"], "a@1!6x > b@2"),
    "holder with an heir": ("a@1!2 > b@2", ["a"], "a@1!2x > b@2"),
    "holder with an heir that is named no more": ("a@1!2 / b@2", ["a"], "a@1!2x / b@2"),
    "heir": ("a@1!2 > b@2", ["b"], "a@1!2"),
    "one of two heirs": ("a@1!2 > c@3 / b@2", ["b"], "a@1!2 > c@3"),
    "that of two heirs that is named": ("a@1!2 > c@3 / b@2", ["c"], "a@1!2 / b@2"),
    "both": ("a@1!2 > b@2", ["a", "b"], "a@1!2x"),
    "an older life": ("a:2@1", ["a"], "a:2@1"),
    "somebody else": ("a@1", ["c"], "a@1"),
}


@pytest.mark.parametrize(("before", "lives", "expected"), ENDED.values(), ids=ENDED)
def test_ended_life_is_done_and_begins_nothing(
    before: str, lives: list[str], expected: str
) -> None:
    """It has a page only until the release is read that somebody may begin on."""
    draft = BOOKS.with_page("orders-0", before).drafted()
    draft.ended = {life(each): Ending.FENCED for each in lives}
    endings.take_back(draft, at(0))

    assert expected == first_page(draft)
    assert ("x" in expected) is (queue("orders-0") in draft.handover.over)
    assert {} == draft.ended


def test_release_of_a_holder_that_is_over_is_written_once() -> None:
    """It is on its way. For an heir that it names, and whose life has ended, another is written."""
    draft = BOOKS.with_page("orders-0", "a@1!2x > b@2").drafted()
    draft.ended = {life(each): Ending.FENCED for each in "ab"}
    endings.take_back(draft, at(0))
    assert ("a@1!2x", set()) == (first_page(draft), draft.handover.over)

    endings.book(draft, released("a", "orders-0@1>2")(at(0)))
    assert ("b@2!6x", {queue("orders-0")}) == (first_page(draft), draft.handover.over)
    endings.book(draft, released("b", "orders-0@2")(at(0)))
    assert "" == first_page(draft)


def test_heir_of_a_fenced_holder_is_confirmed_when_the_release_is_read() -> None:
    """Under the epoch that it was promised, and not before: another may have been named first."""
    story = handing_over()
    story.waits(seconds=5)
    story.reads(beat_of("b", epoch=2))
    story.waits(seconds=5)
    [freed] = only(Freed, story.decided)
    assert (life("a"), namings("orders-1@1>2")) == (freed.life, freed.namings)
    assert "a@1!2x > b@2" == story.pages()["orders-1"]

    story.ticks()
    assert "b@2" == story.pages()["orders-1"]
    handed = only(HandedOver, story.decided)[-1]
    assert ("a", "b", Ending.FENCED) == (handed.from_member, handed.to_member, handed.ending)


def test_release_of_a_life_that_has_ended_counts_if_it_is_the_first() -> None:
    """What it wrote before it ended may be read after; whom it named works already."""
    draft = BOOKS.with_page("orders-0", "a@1!2 > c@3 / b@2").drafted()
    draft.ended = {life("a"): Ending.FENCED}
    endings.book(draft, released("a", "orders-0@1>2")(at(0)))
    endings.take_back(draft, at(0))

    assert "b@2" == first_page(draft)
    assert {("a", "b", 2, Ending.RELEASED, None)} == set(draft.outbox.passages)


def test_members_follow_no_further_than_the_controller() -> None:
    """A grant's epoch is below the group's: whoever begins by its name is booked."""
    assert limits.NAMED_AHEAD <= omissions.LEAP


@pytest.mark.parametrize("far", [1_000_000, 2**52])
def test_an_epoch_that_nobody_can_have_drawn_is_no_naming(far: int) -> None:
    """Else one record would use up the epochs of the group, and of those that come after it."""
    story = Story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(released("a", f"orders-0@1>{story.state.epoch + far + 2}=x"))

    assert far > story.state.epoch
    assert {"orders-0": f"a@{story.state.epoch}"} == story.pages()
