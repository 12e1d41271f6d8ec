"""Claims of what was never granted: refused as soon as it is certain (C8, C9)."""

import pytest

from rebalance.groups.model.decisions import AssignmentIssued, ClaimRefused
from rebalance.groups.model.events import Mode
from rebalance.ids import MemberId
from tests.builders.notation import queue_text
from tests.builders.records import beat_of, joined, marked, released, routed
from tests.builders.story import Story, only


def a_group_that_went_on() -> Story:
    """Two that share orders since epoch 3; the last decision, 4, did not concern them."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.obeys("a")
    story.reads(joined("c", "payments"))
    return story


CLAIMS = {
    "its own": ("orders-0@1", ""),
    "another's": ("orders-0@1 orders-1@2", "orders-1"),
    "above its holder's: a release may say so": ("orders-0@1 orders-1@9", ""),
    "of another's epoch": ("orders-0@1 orders-1@2", "orders-1"),
    "of what is not there": ("nosuch-7@99", "nosuch-7"),
    "its own once": ("orders-0@1 orders-1@1", ""),
}


@pytest.mark.parametrize(("owned", "refused"), CLAIMS.values(), ids=CLAIMS)
def test_a_claim(owned: str, refused: str) -> None:
    """Also of a member that the group's last decision did not concern."""
    story = a_group_that_went_on()
    story.reads(beat_of("a", epoch=3, owned=owned))

    told = only(ClaimRefused, story.decided)
    assert refused.split() == [queue_text(queue) for it in told for queue in it.queues]
    answered = [it.member for it in only(AssignmentIssued, story.decided)]
    assert answered == (["a"] if refused else [])


def test_who_may_have_been_named_is_told_anew_what_it_has() -> None:
    """It has read the last decision; if the release that names it is lost, it must let go."""
    story = a_group_that_went_on()
    story.reads(beat_of("a", epoch=4, owned="orders-0@1 orders-1@9"))

    assert [] == only(ClaimRefused, story.decided)
    (told,) = only(AssignmentIssued, story.decided)
    assert (MemberId("a"), 5) == (told.member, told.epoch)


def test_who_worked_in_common_has_the_number_of_its_joining() -> None:
    """It was told so of every queue, and its beat may come after it has asked to own its share."""
    story = Story()
    common = joined("a", mode=Mode.BROADCASTING)
    story.reads(common, joined("b"), routed("orders", 2))
    story.reads(joined("c", "payments"))
    story.reads(joined("a"), beat_of("a", epoch=1, owned="orders-0@1 orders-1@1"))

    assert [] == only(ClaimRefused, story.decided)


@pytest.mark.parametrize(("sequence", "refused"), [(14, []), (16, ["orders-1"])])
def test_a_beat_that_was_written_before_a_release_claims_nothing(
    sequence: int, refused: list[str]
) -> None:
    """They go to two topics: the release may be stamped first."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    beat = beat_of("a", epoch=2, owned="orders-0@1 orders-1@1", sequence=sequence)
    story.reads(marked("b"), released("a", "orders-1@1", sequence=15), beat)

    told = only(ClaimRefused, story.decided)
    assert refused == [queue_text(queue) for it in told for queue in it.queues]
