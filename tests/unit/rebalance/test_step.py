"""One step after another: short stories in which the machines work together."""

from dataclasses import replace

import pytest

from allocators.averagely import averagely
from rebalance.allocation import AllocationPlan
from rebalance.decisions import (
    AssignmentIssued,
    GroupPhase,
    HandedOver,
    MemberChange,
    MemberChanged,
    Rebalanced,
)
from rebalance.errors import BrokenInvariant
from rebalance.events import Event
from rebalance.group import GroupState
from rebalance.ids import GroupName, MemberId, Millis
from rebalance.policy import Policy
from rebalance.step import step
from tests.builders.notation import queue
from tests.builders.records import (
    Record,
    at,
    beaten,
    drained,
    joined,
    left,
    missing,
    released,
    routed,
)
from tests.builders.story import Story, only


def two_members(*, queues: int = 2, policy: Policy | None = None) -> Story:
    """Begin with a and b, who share the queues of one topic."""
    story = Story(policy=policy or Policy())
    story.reads(joined("a"), joined("b"), routed("orders", queues))
    return story


def handing_over() -> Story:
    """Begin with orders-1 on its way from a to b, told in epoch 2."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    return story


# -- first assignment and joining


def test_members_wait_for_the_route() -> None:
    """A topic that nobody looked for yet assigns nothing, and the group says so."""
    story = Story()
    story.reads(joined("a"))

    assert GroupPhase.ASSIGNING == story.phase()
    assert {} == story.pages()


def test_everything_is_granted_at_once_when_nobody_held_anything() -> None:
    """The first assignment needs no hand-over: one batch, one epoch, stable."""
    story = two_members()

    assert {"orders-0": "a@1", "orders-1": "b@1"} == story.pages()
    assert GroupPhase.STABLE == story.phase()


def test_join_tells_holder_and_heir_in_the_same_batch() -> None:
    """The baton: both records carry the same epoch, so the heir needs no second one."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    issued = only(AssignmentIssued, story.reads(joined("b")))

    assert {"orders-0": "a@1", "orders-1": "a@1!2 > b@2"} == story.pages()
    assert {"a": 2, "b": 2} == {each.member: each.epoch for each in issued}


def test_release_books_the_heir_under_the_epoch_it_was_promised() -> None:
    """The heir started on the release itself; the controller only confirms it."""
    story = handing_over()
    decided = story.reads(released("a", "orders-1@1"))

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()
    assert ((queue("orders-1"), 2),) == story.told("b").hold
    assert [("a", "b")] == [(h.from_member, h.to_member) for h in only(HandedOver, decided)]
    assert [] == only(Rebalanced, decided)


def test_events_of_a_batch_lead_to_one_target() -> None:
    """Ten joins in one batch are one rebalance, under one epoch (C10)."""
    story = Story()
    decided = story.reads(*(joined(f"m{each}") for each in range(10)), routed("orders", 10))

    assert 1 == len(only(Rebalanced, decided))
    assert {1} == {issued.epoch for issued in only(AssignmentIssued, decided)}


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
    assert "b" in story.state.members


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

    assert {"orders-0": "a@1", "orders-1": "a@2"} == story.pages()
    assert [0] == [rebalance.moves for rebalance in only(Rebalanced, decided)]


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
    story.reads(beaten("a"))
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
        assert [] == story.reads(beaten("a"), beaten("b"))


def test_outage_of_the_log_is_nobodys_death() -> None:
    """After an hour without a record nobody is dead; the next silence counts from there (A2)."""
    story = two_members()
    story.away(seconds=3_600)

    assert [] == story.waits(seconds=4)
    assert [] == story.reads(beaten("a"), beaten("b"))


def test_member_that_died_during_an_outage_expires_after_a_session_of_new_log_time() -> None:
    """An outage counts as one clock step, not as a session (A3, A4)."""
    story = two_members()
    story.away(seconds=3_600)
    story.waits(seconds=1)
    story.reads(beaten("a"))
    story.waits(seconds=5)  # 5 s for the gap, 5 s since

    assert {"a"} == set(story.state.members)


def test_member_may_join_and_fall_silent_within_one_batch() -> None:
    """After an outage of the controller a batch spans hours: its clock is followed all the same."""
    events: list[Event] = [
        joined("a")(at(0)),
        joined("b")(at(0, offset=1)),
        routed("orders", 2)(at(0, offset=2)),
        beaten("b")(at(9_999, offset=3)),
        beaten("b")(at(10_000, offset=4)),
    ]
    state = step(GroupState(GroupName("g")), events, at(10_000), Policy(), averagely).state

    assert {"b"} == set(state.members)


def test_beat_in_the_batch_that_proves_the_silence_comes_too_late() -> None:
    """Within a batch the log's order decides, not the batch (B5)."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beaten("a"))
    story.waits(seconds=0.5)
    story.away(seconds=0.5)
    story.reads(beaten("b", epoch=1))

    assert {"a"} == set(story.state.members)
    assert story.records[MemberId("b")] is None


def test_expired_member_that_joins_again_is_new() -> None:
    """It is not resurrected into its old queues: grants are new, under new epochs (B5)."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beaten("a"))
    story.waits(seconds=1)
    story.reads(joined("b"))

    assert {"orders-0": "a@1", "orders-1": "a@2!3 > b@3"} == story.pages()


def test_expiry_and_return_in_one_batch_take_the_old_grants_back() -> None:
    """The grants of the expired life are gone even when the same life is back at once."""
    story = two_members()
    story.waits(seconds=9)
    story.reads(beaten("a"))
    story.away(seconds=1)
    story.reads(beaten("b", epoch=1), joined("b"))

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

    assert [] == story.reads(joined("b"), beaten("b", epoch=1), left("b"))


# -- the baton's edges


def test_heir_is_replaced_only_after_it_let_go() -> None:
    """The target changes while b may already have started: c has to wait for b's word."""
    story = handing_over()
    story.reads(left("b"), joined("c"))  # b is gone for good: c may be promised at once

    assert {"orders-0": "a@1", "orders-1": "a@1!2 > c@3"} == story.pages()

    story.reads(joined("b"))  # AVG means orders-1 for b now
    assert {"orders-0": "a@1", "orders-1": "a@1!2 > c@3!4"} == story.pages()

    story.obeys("c")
    assert {"orders-0": "a@1", "orders-1": "a@1!2 > b@5"} == story.pages()


def test_heir_is_replaced_after_the_holders_release() -> None:
    """The cancelled heir may have started: it becomes the holder, and must give."""
    story = handing_over()
    story.reads(left("b"), joined("c"))
    story.reads(joined("b"))
    story.reads(released("a", "orders-1@1"))

    assert {"orders-0": "a@1", "orders-1": "c@3!4 > b@5"} == story.pages()

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
    """It was the holder by then; the queue goes on like that of any dead holder."""
    story = handing_over()
    story.reads(released("a", "orders-1@1"), left("b"))

    assert {"orders-0": "a@1", "orders-1": "a@3"} == story.pages()


def test_holder_dies_before_its_release() -> None:
    """The heir is confirmed under the epoch it was promised: it may have started already."""
    story = Story()
    story.reads(joined("a"), joined("c"), routed("orders", 3))
    story.reads(joined("b"))
    assert "a@1!2 > b@2" == story.pages()["orders-1"]

    story.reads(left("a"))

    assert "b@2" == story.pages()["orders-1"].partition("!")[0]


def test_holder_and_heir_die_in_one_batch() -> None:
    """Nobody may be working any more: the queue is granted afresh."""
    story = Story()
    story.reads(joined("a"), routed("orders", 1))
    story.reads(drained("a"), joined("b"))
    assert {"orders-0": "a@1!2 > b@2"} == story.pages()

    story.reads(joined("c"), left("a"), left("b"))

    assert {"orders-0": "c@3"} == story.pages()


def test_target_returns_to_the_holder_while_it_is_asked() -> None:
    """It is not told to hold on; once it has let go it is granted the queue anew."""
    story = handing_over()
    story.reads(drained("b"))
    assert "a@1!2 > b@2!3" == story.pages()["orders-1"]

    story.obeys("b")
    assert "a@1!2" == story.pages()["orders-1"]

    story.obeys("a")
    assert "a@5" == story.pages()["orders-1"]
    assert {"orders-0": "a@1", "orders-1": "a@5"} == story.pages()


def test_release_that_was_lost_is_repaired_by_a_beat() -> None:
    """What a member no longer owns after acting on "give" is released (C7)."""
    story = handing_over()
    story.reads(beaten("a", epoch=2, owned="orders-0@1"))

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()


def test_release_that_is_repeated_changes_nothing() -> None:
    """At least once is enough, and once is enough (C7)."""
    story = handing_over()
    story.reads(released("a", "orders-1@1"))

    assert [] == story.reads(released("a", "orders-1@1"), beaten("a", epoch=2, owned="orders-0@1"))


def test_slow_revoker_is_fenced_at_its_deadline_and_delays_only_its_own_queues() -> None:
    """Who keeps a queue past the revocation timeout loses everything; its heirs go on (C5)."""
    story = Story(policy=Policy(session_timeout_ms=Millis(100_000)))
    story.reads(joined("a", revocation_ms=5_000), routed("orders", 2))
    story.reads(joined("b"))
    story.waits(seconds=4.999)
    assert {"orders-0": "a@1", "orders-1": "a@1!2 > b@2"} == story.pages()

    decided = story.waits(seconds=0.001)

    assert {"orders-0": "b@3", "orders-1": "b@2"} == story.pages()
    assert [MemberChange.FENCED] == [each.change for each in only(MemberChanged, decided)]
    assert [5_000] == [h.duration_ms for h in only(HandedOver, decided) if h.duration_ms]


# -- topics

ROUTES = {
    "grows": (routed("orders", 4, version=2), ["a", "a", "b", "b"]),
    "shrinks": (routed("orders", 1, version=2), ["a"]),
    "vanishes": (missing("orders", version=2), []),
    "stale": (routed("orders", 4, version=1), ["a", "b"]),
}


@pytest.mark.parametrize(("record", "expected"), ROUTES.values(), ids=ROUTES.keys())
def test_route(record: Record, expected: list[str]) -> None:
    """Members follow the topic, by hand-over like everything else (D2, D4)."""
    story = two_members()
    story.reads(record)
    story.settles()

    assert expected == list(story.owners().values())
    assert GroupPhase.STABLE == story.phase()


def test_queue_that_vanishes_in_the_hand_is_given_up() -> None:
    """A topic that disappears during a hand-over cancels the heir and asks the holder on."""
    story = handing_over()
    story.reads(missing("orders", version=2))
    assert {"orders-0": "a@1!3", "orders-1": "a@1!2 > b@2!3"} == story.pages()

    story.settles()

    assert {} == story.pages()


def test_topic_that_its_last_subscriber_drops_is_given_up() -> None:
    """Queues follow the subscription."""
    story = Story()
    story.reads(joined("a", "orders payments"), routed("orders", 1), routed("payments", 1))
    story.reads(joined("a", "orders"))
    story.settles()

    assert {"orders-0": "a"} == story.owners()
    assert GroupPhase.STABLE == story.phase()


def test_topic_that_is_subscribed_again_is_known_at_once() -> None:
    """However the log is cut into batches, a route is not lost by changing one's mind (I7)."""
    changes = [joined("a", "payments"), joined("a", "orders")]
    endings = []
    for batches in ([changes], [changes[:1], changes[1:]]):
        story = Story()
        story.reads(joined("a", "orders"), routed("orders", 1))
        for batch in batches:
            story.reads(*batch)
        story.settles()
        endings.append(story.owners())

    assert [{"orders-0": "a"}] * 2 == endings


def test_queue_goes_only_to_members_that_subscribe_its_topic() -> None:
    """Members of one group may subscribe different topics (C18)."""
    story = Story()
    story.reads(
        joined("a", "orders"),
        joined("b", "payments"),
        routed("orders", 2),
        routed("payments", 1),
    )

    assert {"orders-0": "a", "orders-1": "a", "payments-0": "b"} == story.owners()


# -- what holds for every step


def test_surplus_members_wait_and_are_stable() -> None:
    """More members than queues is no reason to move anything (C16)."""
    story = two_members(queues=1)

    assert {"orders-0": "a@1"} == story.pages()
    assert GroupPhase.STABLE == story.phase()


def test_nothing_is_published_when_nothing_changes() -> None:
    """Beats and ticks of a quiet group cost no record and no epoch (I14)."""
    story = two_members()
    epoch = story.state.epoch

    assert [] == story.reads(
        beaten("a", epoch=1, owned="orders-0@1"), beaten("b", epoch=1, owned="orders-1@1")
    )
    assert [] == story.waits(seconds=5)
    assert epoch == story.state.epoch


def test_join_that_is_repeated_is_answered_to_that_member_only() -> None:
    """A member that lost its record asks again; nobody else hears of it."""
    story = two_members()
    decided = story.reads(joined("a"))

    assert ["a"] == [issued.member for issued in only(AssignmentIssued, decided)]
    assert 1 == len(decided)
    assert 1 == story.state.epoch


def test_state_that_went_in_is_untouched() -> None:
    """State is a value: a replay starts from the same one."""
    story = handing_over()
    before, copy = story.state, replace(story.state)
    story.reads(released("a", "orders-1@1"), joined("c"), routed("orders", 4, version=2))

    assert copy == before
    assert before.ownership is copy.ownership


def test_unknown_member_leaves_no_trace() -> None:
    """A stranger's beats and releases are answered, never remembered."""
    nothing = GroupState(GroupName("billing"))
    events: list[Event] = [beaten("x", epoch=3)(at(0)), released("x", "orders-0@3")(at(0))]
    outcome = step(nothing, events, at(0, offset=1), Policy(), lambda _: AllocationPlan({}))

    assert nothing == outcome.state
    assert 1 == len(outcome.decisions)


def test_broken_strategy_stops_the_step() -> None:
    """A strategy of a user's own that names strangers is never published."""
    plan = AllocationPlan({queue("orders-0"): MemberId("nobody")})
    story = Story(allocator=lambda _: plan)

    with pytest.raises(BrokenInvariant, match="nobody"):
        story.reads(joined("a"), routed("orders", 1))
