"""Members that go, fall silent, die and come back: short stories through the whole step."""

from allocators.rocketmq.averagely import averagely
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    HandedOver,
    MemberChange,
    MemberChanged,
    Rebalanced,
)
from rebalance.groups.model.events import Event, Mode
from rebalance.groups.model.overview import GroupPhase
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import GroupName, MemberId
from tests.builders.records import (
    at,
    beat_of,
    drained,
    joined,
    left,
    released,
    routed,
)
from tests.builders.story import Story, only, two_members

# -- going


def test_leave_passes_everything_on_at_once() -> None:
    """Who says that it stopped is not waited for."""
    story = two_members()
    decided = story.reads(left("b"))

    assert {"orders-0": "a@1", "orders-1": "a@2"} == story.pages()
    assert story.records[MemberId("b")] is None
    assert ["left"] == [handed.ending for handed in only(HandedOver, decided)]


def test_drain_hands_over_while_the_member_works_on() -> None:
    """A draining member keeps each queue until its heir takes over."""
    story = two_members()
    story.reads(drained("b"))

    assert {"orders-0": "a@1", "orders-1": "b@1!2 > a@2"} == story.pages()

    story.obeys("b")

    assert {"orders-0": "a@1", "orders-1": "a@2"} == story.pages()
    assert "b" in story.state.membership.members


def test_drain_of_the_last_member_gives_everything_up() -> None:
    """With nobody left to inherit, the queues rest until somebody comes."""
    story = Story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(drained("a"))

    assert {"orders-0": "a@1!2"} == story.pages()

    story.obeys("a")

    assert {} == story.pages()

    story.reads(joined("b"))

    assert {"orders-0": "b@4"} == story.pages()


def test_drained_member_that_dies_is_moved_once() -> None:
    """Heirs were named by the drain; the death confirms them (G2)."""
    story = two_members()
    story.reads(drained("b"))
    decided = story.reads(left("b"))
    assert {"b": "orders-1@1>2"} == story.freed()
    decided += story.ticks()

    assert {"orders-0": "a@1", "orders-1": "a@2"} == story.pages()
    assert [0] == [rebalance.moves for rebalance in only(Rebalanced, decided)]
    assert ["left"] == [handed.ending for handed in only(HandedOver, decided)]


def test_drained_member_that_falls_silent_is_moved_once() -> None:
    """The same, a session later."""
    story = two_members()
    decided = story.reads(drained("b"))
    for _ in range(4):
        decided += story.waits(seconds=3)
        decided += story.reads(beat_of("a", epoch=2))

    assert {"orders-0": "a@1", "orders-1": "a@2"} == story.pages()
    assert [1, 0] == [rebalance.moves for rebalance in only(Rebalanced, decided)]
    assert ["fenced"] == [handed.ending for handed in only(HandedOver, decided)]


def test_everybody_leaves_and_one_returns() -> None:
    """An empty group keeps its map: the next member gets everything in one epoch (C15)."""
    story = two_members()
    story.reads(left("a"), left("b"))

    assert GroupPhase.EMPTY == story.phase()

    story.reads(joined("c"))

    assert {"orders-0": "c@3", "orders-1": "c@3"} == story.pages()


# -- silence


def test_silent_member_expires_at_its_session_timeout() -> None:
    """A crash costs one session timeout of log time, and not a tick more."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beat_of("a"))
    story.waits(seconds=0.999)

    assert {"orders-0": "a@1", "orders-1": "b@1"} == story.pages()

    decided = story.waits(seconds=0.001)
    changes = only(MemberChanged, decided)

    assert {"orders-0": "a@1", "orders-1": "a@2"} == story.pages()
    assert [("b", MemberChange.EXPIRED)] == [(each.member, each.change) for each in changes]
    assert ["fenced"] == [handed.ending for handed in only(HandedOver, decided)]


def test_beats_keep_a_member_for_ever() -> None:
    """A member whose beats are less than a session apart is never taken for dead (I6)."""
    story = two_members()
    for _ in range(20):
        story.waits(seconds=9.999)
        assert [] == story.reads(beat_of("a"), beat_of("b"))


def test_outage_of_the_log_is_nobodys_death() -> None:
    """After an hour without a record nobody is dead; the next silence counts from there (A2)."""
    story = two_members()
    story.away(seconds=3_600)

    assert [] == story.waits(seconds=4)
    assert [] == story.reads(beat_of("a"), beat_of("b"))


def test_member_that_died_during_an_outage_expires_after_a_session_of_new_log_time() -> None:
    """An outage counts as one clock step, not as a session (A3, A4)."""
    story = two_members()
    story.away(seconds=3_600)
    story.waits(seconds=1)
    story.reads(beat_of("a"))
    story.waits(seconds=8)  # 2 s for the gap, 8 s since

    assert {"a"} == set(story.state.membership.members)


def test_member_may_join_and_fall_silent_within_one_batch() -> None:
    """After an outage of the controller a batch spans hours: its clock is followed all the same."""
    events: list[Event] = [
        joined("a")(at(0)),
        joined("b")(at(0, offset=1)),
        routed("orders", 2)(at(0, offset=2)),
        beat_of("b")(at(9_999, offset=3)),
        beat_of("b")(at(10_000, offset=4)),
    ]
    state = step(GroupState(GroupName("g")), events, at(10_000), Policy(), averagely).state

    assert {"b"} == set(state.membership.members)


def test_beat_in_the_batch_that_proves_the_silence_comes_too_late() -> None:
    """Within a batch the log's order decides, not the batch (B5)."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beat_of("a"))
    story.waits(seconds=0.5)
    story.away(seconds=0.5)
    story.reads(beat_of("b", epoch=1))

    assert {"a"} == set(story.state.membership.members)
    assert story.records[MemberId("b")] is None


def test_expired_member_that_joins_again_is_new() -> None:
    """It is not resurrected into its old queues: grants are new, under new epochs (B5)."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beat_of("a"))
    story.waits(seconds=1)
    story.reads(joined("b"))

    assert {"orders-0": "a@1", "orders-1": "a@2!3 > b@3"} == story.pages()


def test_expiry_and_return_in_one_batch_take_the_old_grants_back() -> None:
    """The grants of the expired life are gone even when the same life is back at once."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beat_of("a"))
    story.away(seconds=1)
    story.reads(beat_of("b", epoch=1), joined("b"))

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


# -- lives


def test_restart_takes_over_from_its_older_life() -> None:
    """A younger incarnation fences the older one and moves nothing to third parties (C1)."""
    story = two_members()
    decided = story.reads(joined("b:2"))

    assert {"orders-0": "a@1", "orders-1": "b:2@2"} == story.pages()
    assert [MemberChange.REJOINED] == [each.change for each in only(MemberChanged, decided)]


def test_release_of_the_older_life_changes_nothing() -> None:
    """A zombie's late release names an incarnation that holds nothing (C3)."""
    story = two_members()
    story.reads(joined("b:2"))
    before = story.pages()

    assert [] == story.reads(released("b", "orders-1@1"))
    assert before == story.pages()


def test_older_life_cannot_come_back() -> None:
    """Incarnations order the lives: a twin that started earlier is not let in."""
    story = two_members()
    story.reads(joined("b:2"))

    assert [] == story.reads(joined("b"), beat_of("b", epoch=1), left("b"))


def test_member_that_begins_to_broadcast_lets_others_have_what_it_held() -> None:
    """It works on everything by right: nobody waits for a release, and it is not fenced for it."""
    story = Story()
    story.reads(joined("a"), joined("b"), routed("orders", 2))
    story.reads(joined("a", mode=Mode.BROADCASTING))

    assert {"orders-0": "b@2", "orders-1": "b@1"} == story.pages()
    assert 2 == len(story.told("a").hold)


def test_member_that_broadcasts_is_told_only_what_is_new_to_it() -> None:
    """A topic that was looked at again, and is what it was, is no news (I14)."""
    story = Story()
    story.reads(joined("a", mode=Mode.BROADCASTING), routed("orders", 2))

    assert [] == story.reads(routed("orders", 2, version=2))

    decided = story.reads(routed("orders", 3, version=3))

    assert [3] == [len(issued.portion.hold) for issued in only(AssignmentIssued, decided)]
