"""One step after another: joining, topics, and what holds whatever is read."""

from dataclasses import replace

import pytest

from allocators import allocator
from rebalance.allocation import AllocationPlan
from rebalance.groups.model.commands import Pause
from rebalance.groups.model.decisions import AssignmentIssued, HandedOver, Rebalanced
from rebalance.groups.model.events import Event, Portion
from rebalance.groups.model.overview import GroupPhase, GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.route import NO_ID
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import GroupName, MemberId, Millis
from tests.builders.notation import namings, queue
from tests.builders.records import (
    Record,
    at,
    beat_of,
    commanded,
    joined,
    missing,
    released,
    routed,
)
from tests.builders.story import CREDULOUS, Story, handing_over, only, two_members

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
    decided = story.reads(released("a", "orders-1@1>2"))

    assert {"orders-0": "a@1", "orders-1": "b@2"} == story.pages()
    assert namings("orders-1@2") == story.told("b").hold
    assert [("a", "b")] == [(h.from_member, h.to_member) for h in only(HandedOver, decided)]
    assert [] == only(Rebalanced, decided)


def test_events_of_a_batch_lead_to_one_target() -> None:
    """Ten joins in one batch are one rebalance, under one epoch (C10)."""
    story = Story()
    decided = story.reads(*(joined(f"m{each}") for each in range(10)), routed("orders", 10))

    assert 1 == len(only(Rebalanced, decided))
    assert {1} == {issued.epoch for issued in only(AssignmentIssued, decided)}


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
    story = two_members(policy=CREDULOUS)
    story.reads(record)
    story.settles()

    assert expected == list(story.owners().values())
    assert GroupPhase.STABLE == story.phase()


def test_queue_that_vanishes_in_the_hand_is_given_up() -> None:
    """A topic that disappears during a hand-over is asked back from the holder, for nobody.

    If its release has named the heir already, the heir is asked as well.
    """
    for said in ("orders-1@1", "orders-1@1>2"):
        story = handing_over(policy=CREDULOUS)
        story.reads(missing("orders", version=2))
        assert {"orders-0": "a@1!3", "orders-1": "a@1!2 / b@2"} == story.pages()
        assert namings("orders-0@1 orders-1@1") == story.told("a").give

        story.reads(released("a", said))
        story.settles()

        assert {} == story.pages()
        assert Portion() == story.told("b")


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


def test_target_that_is_older_than_a_wish_grants_nothing_against_it() -> None:
    """While the target must wait, a member that came back for less gets no more than that (C18)."""
    story = Story(Policy(assignment_interval_ms=Millis(10_000)))
    story.reads(joined("a", "orders payments"), routed("orders", 1), routed("payments", 1))
    story.reads(joined("a:2", "orders"))

    assert {"orders-0": "a"} == story.owners()


def test_target_that_is_older_than_a_capacity_grants_nothing_beyond_it() -> None:
    """Nor does a member that came back and can carry less get what its former life could (C17)."""
    story = Story(Policy(assignment_interval_ms=Millis(5_000)), allocator=allocator("STICKY"))
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("a:2", capacity=1))

    assert {} == story.owners()

    story.waits(seconds=5)

    assert 1 == len(story.owners())


def test_a_member_that_can_carry_less_gives_up_no_more_than_that() -> None:
    """While the target must wait: a pause moves nothing but what is too much (C17)."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("a"), routed("orders", 10))
    story.reads(commanded(Pause()))
    story.reads(joined("a", capacity=9))
    story.settles()

    assert 9 == len(story.owners())


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
        beat_of("a", epoch=1, owned="orders-0@1"), beat_of("b", epoch=1, owned="orders-1@1")
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
    story.reads(released("a", "orders-1@1>2"), joined("c"), routed("orders", 4, version=2))

    assert copy == before
    assert before.handover.books is copy.handover.books


def test_unknown_member_leaves_no_trace() -> None:
    """A stranger's beats and releases are answered, never remembered."""
    nothing = GroupState(GroupName("billing"))
    events: list[Event] = [beat_of("x", epoch=3)(at(0)), released("x", "orders-0@3")(at(0))]
    outcome = step(nothing, events, at(0, offset=1), Policy(), lambda _: AllocationPlan({}))

    assert nothing == outcome.state
    assert 1 == len(outcome.decisions)


def test_broken_strategy_is_not_obeyed() -> None:
    """A strategy of a user's own that names strangers is never published."""
    plan = AllocationPlan({queue("orders-0"): MemberId("nobody")})
    story = Story(allocator=lambda _: plan)
    story.reads(joined("a"), routed("orders", 1))

    assert {} == story.pages()
    assert "given to nobody" in only(GroupSummarised, story.decided)[0].ailment


def test_a_topic_that_was_made_anew_is_granted_afresh() -> None:
    """Its queues have the same names and another content: every position is void (D3)."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2, generation="x"))
    story.reads(routed("orders", 2, version=2, generation="y"))
    assert {"orders-0": "a@1!2", "orders-1": "a@1!2"} == story.pages()

    story.obeys("a")
    assert {"orders-0": "a@3", "orders-1": "a@3"} == story.pages()


def test_a_kafka_that_gives_ids_to_its_topics_has_made_none_anew() -> None:
    """Before 2.8 all are zeros; while it is upgraded its brokers answer in both ways."""
    story = Story()
    for version, generation in enumerate([NO_ID, "x", NO_ID, "x"]):
        story.reads(joined("a"), routed("orders", 2, version=version, generation=generation))

    assert {"orders-0": "a@1", "orders-1": "a@1"} == story.pages()
    story.reads(routed("orders", 2, version=9, generation="y"))
    assert {"orders-0": "a@1!2", "orders-1": "a@1!2"} == story.pages()


def test_the_heir_of_a_queue_that_was_made_anew_does_not_begin() -> None:
    """On the holder's release it would, at a position in a topic that is no more (D3).

    So its holder is told to name nobody, for as long as it has not released.
    """
    story = made_anew_on_the_way()
    assert "a@1!3 / b@2" == story.pages()["orders-1"]
    assert namings("orders-0@1 orders-1@1") == story.told("a").give

    story.reads(joined("b", sequence=50, rack="r"))  # another look at it changes nothing
    assert namings("orders-0@1 orders-1@1") == story.told("a").give

    story.settles()
    assert {"orders-0": "a@5", "orders-1": "b@5"} == story.pages()


def made_anew_on_the_way() -> Story:
    """Begin with a topic that was made anew while orders-1 was on its way from a to b."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2, generation="x"))
    story.reads(joined("b"))
    assert "a@1!2 > b@2" == story.pages()["orders-1"]
    story.reads(routed("orders", 2, version=2, generation="y"))
    return story
