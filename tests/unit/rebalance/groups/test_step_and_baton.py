"""The baton's edges: who dies, who is late and what is lost while a queue is on its way."""

from rebalance.groups.model.decisions import (
    HandedOver,
    MemberChange,
    MemberChanged,
)
from rebalance.groups.model.events import Portion
from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from tests.builders.notation import namings
from tests.builders.records import (
    beat_of,
    drained,
    joined,
    left,
    released,
    routed,
)
from tests.builders.story import Story, handing_over, only


def test_heir_is_replaced_at_once() -> None:
    """The target changes while a queue is on its way: only whom the holder names may start."""
    story = handing_over()
    story.reads(left("b"), joined("c"))  # b is gone for good: c may be promised at once

    assert {"orders-0": "a@1", "orders-1": "a@1!2 > c@3"} == story.pages()

    story.reads(joined("b"))  # AVG means orders-1 for b now
    assert {"orders-0": "a@1", "orders-1": "a@1!2 > b@4 / c@3"} == story.pages()

    story.obeys("a")
    assert {"orders-0": "a@1", "orders-1": "b@4"} == story.pages()
    assert Portion() == story.told("c")


def test_heir_is_replaced_after_the_holders_release() -> None:
    """The release names the former heir, which has started: it is the holder, and must give."""
    story = handing_over()
    story.reads(left("b"), joined("c"))
    story.reads(joined("b"))
    story.reads(released("a", "orders-1@1>3"))

    assert {"orders-0": "a@1", "orders-1": "c@3!5 > b@5"} == story.pages()

    story.obeys("c")

    assert {"orders-0": "a@1", "orders-1": "b@5"} == story.pages()


def test_heir_dies_before_the_release() -> None:
    """The holder was told to give and may have done so: its release brings it a new grant."""
    story = handing_over()
    story.reads(left("b"))

    assert {"orders-0": "a@1", "orders-1": "a@1!2"} == story.pages()

    story.obeys("a")

    assert {"orders-0": "a@1", "orders-1": "a@4"} == story.pages()


def test_heir_dies_after_the_release() -> None:
    """It was the holder by then, and may have named somebody itself; the log says whom."""
    story = handing_over()
    story.reads(released("a", "orders-1@1>2"), left("b"))
    assert {"orders-0": "a@1", "orders-1": "b@2!3x > a@3"} == story.pages()

    story.ticks()
    assert {"orders-0": "a@1", "orders-1": "a@3"} == story.pages()


def test_a_leave_may_be_read_before_the_releases_that_it_followed() -> None:
    """Two topics have no order, and both may be of one millisecond: they were released, and before.

    What it left without a release is left.
    """
    story = Story()
    story.reads(joined("a"), joined("b"), routed("orders", 4))
    held = {queue: page for queue, page in story.pages().items() if page.startswith("b@")}
    story.reads(drained("b"))
    assert ["orders-2", "orders-3"] == [*held]
    decisions = story.reads(left("b", sequence=9), released("b", "orders-2@1>2"))
    assert {"b": "orders-3@1>2"} == story.freed()
    decisions += story.ticks()

    handed = [(it.ending.value, len(it.queues)) for it in only(HandedOver, decisions)]
    assert [("left", 1), ("released", 1)] == sorted(handed)
    assert {"a"} == {page.partition("@")[0] for page in story.pages().values()}


def test_holder_dies_before_its_release() -> None:
    """The controller releases for it, and reads that: the heir begins as it was promised."""
    story = Story()
    story.reads(joined("a"), joined("c"), routed("orders", 3))
    story.reads(joined("b"))
    assert "a@1!2 > b@2" == story.pages()["orders-1"]

    story.reads(left("a"))
    assert "a@1!2x > b@2" == story.pages()["orders-1"]
    assert {"a": "orders-1@1>2"} == story.freed()

    story.ticks()
    assert "b@2" == story.pages()["orders-1"]


def test_holder_is_fenced_after_its_release() -> None:
    """Before it died it named another heir than the controller does: the first release counts."""
    story = handing_over()
    story.reads(left("b"), joined("c"))
    story.reads(joined("b"))
    story.reads(left("a"))
    assert {"a": "orders-1@1>3"} == story.freed()

    late, story.unheard = story.unheard, []
    story.reads(released("a", "orders-1@1>4"))
    assert "b@4!6 > c@6" == story.pages()["orders-1"]

    before, story.unheard = story.pages(), late
    story.ticks()
    assert before == story.pages()


def test_holder_and_heir_die_in_one_batch() -> None:
    """Either may have handed the queue on: the log says to whom."""
    story = Story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(drained("a"), joined("b"))
    assert {"orders-0": "a@1!2 > b@2"} == story.pages()

    story.reads(joined("c"), left("a"), left("b"))

    assert {"orders-0": "a@1!2x > c@3"} == story.pages()
    story.ticks()
    assert {"orders-0": "c@3"} == story.pages()


def test_target_returns_to_the_holder_while_it_is_asked() -> None:
    """It is not told to hold on; once it has let go, for nobody, it is granted the queue anew."""
    story = handing_over()
    story.reads(drained("b"))
    assert "a@1!2 / b@2" == story.pages()["orders-1"]
    assert namings("orders-1@1") == story.told("a").give

    story.obeys("a")
    assert {"orders-0": "a@1", "orders-1": "a@4"} == story.pages()
    assert Portion() == story.told("b")


def test_release_that_was_lost_is_repaired_by_a_beat() -> None:
    """What a member no longer owns after acting on "give" is released (C7)."""
    story = handing_over()
    story.reads(beat_of("a", epoch=2, owned="orders-0@1"))
    assert {"a": "orders-1@1>2"} == story.freed()

    story.ticks()
    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


def test_a_beat_that_does_not_say_what_its_member_owns_proves_no_release() -> None:
    """Nothing has changed since its last beat, it says; not that it owns nothing."""
    story = handing_over()
    before = story.pages()
    story.reads(beat_of("a", epoch=2))

    assert before == story.pages()


def test_release_that_is_repeated_changes_nothing() -> None:
    """At least once is enough, and once is enough (C7)."""
    story = handing_over()
    story.reads(released("a", "orders-1@1>2"))

    again = beat_of("a", epoch=2, owned="orders-0@1")
    assert [] == story.reads(released("a", "orders-1@1>2"), again)


def test_slow_revoker_is_fenced_at_its_deadline_and_delays_only_its_own_queues() -> None:
    """Who keeps a queue past the revocation timeout loses everything; its heirs go on (C5)."""
    story = Story(policy=Policy(revocation_timeout_ms=Millis(50_000)))
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    for _ in range(9):
        story.waits(seconds=5)
        story.reads(beat_of("a"), beat_of("b"))
    story.waits(seconds=5.999)  # of which one until the next batch shows that it was told
    assert {"orders-0": "a@1", "orders-1": "a@1!2 > b@2"} == story.pages()

    decided = story.waits(seconds=0.001)
    assert {"orders-0": "b@3", "orders-1": "a@1!2x > b@2"} == story.pages()
    assert {"a": "orders-1@1>2"} == story.freed()
    decided += story.ticks()

    assert {"orders-0": "b@3", "orders-1": "b@2"} == story.pages()
    assert [MemberChange.FENCED] == [each.change for each in only(MemberChanged, decided)]
    assert [51_000] == [h.duration_ms for h in only(HandedOver, decided) if h.duration_ms]
