"""Members that an operator stops: not the last of a topic, and not for ever (``obeying``)."""

from collections import Counter

import pytest

from allocators import allocator
from rebalance.groups.model.commands import (
    Command,
    DrainMember,
    EvictMember,
    Pause,
    UndrainMember,
)
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.groups.model.overview import GroupPhase
from rebalance.groups.model.policy import Policy
from rebalance.ids import MemberId
from tests.builders.records import Record, beat_of, commanded, joined, left, routed
from tests.builders.story import Story, only, two_members

B = MemberId("b")
Stops = type[DrainMember] | type[EvictMember]
BOTH_STOPS = pytest.mark.parametrize("stops", [DrainMember, EvictMember])
FULL = "without it {} queues would have no worker; use --force to stop it anyway"
HEIRLESS = "its queues without a standing heir"


def answers(story: Story, *commands: Command) -> list[tuple[str, str]]:
    """Return the answers to commands of one batch."""
    said = only(CommandAnswered, story.reads(*map(commanded, commands)))
    return [(it.outcome.value, it.detail) for it in said]


@BOTH_STOPS
def test_the_last_worker_of_a_topic_is_stopped_by_force_alone(stops: Stops) -> None:
    """A member that drains is no other worker; the state says that queues have none."""
    story = two_members()
    story.reads(commanded(DrainMember(MemberId("a"))))
    story.settles()
    (answer,) = only(CommandAnswered, story.reads(commanded(stops(B))))
    assert ("refused", "no other member works on orders; use --force to stop it anyway") == (
        answer.outcome,
        answer.detail,
    )

    (answer,) = only(CommandAnswered, story.reads(commanded(stops(B, force=True))))
    story.ticks()
    story.settles()
    assert ("done", GroupPhase.STARVED) == (answer.outcome, story.phase())


@BOTH_STOPS
@pytest.mark.parametrize("capacity", [None, 9])
def test_of_members_that_are_stopped_together_the_last_is_spared(
    stops: Stops, capacity: int | None
) -> None:
    """Each command counts on those alone that the ones before it have left."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(*(joined(it, capacity=capacity) for it in "abc"), routed("orders", 6))
    story.settles()
    answers = only(CommandAnswered, story.reads(*(commanded(stops(MemberId(it))) for it in "acb")))

    assert ["done", "done", "refused"] == [it.outcome for it in answers]


def test_a_member_that_is_away_is_no_other_worker() -> None:
    """It may come back, but does nothing now."""
    story = two_members()
    story.reads(left("a", temporary=True))
    (answer,) = only(CommandAnswered, story.reads(commanded(DrainMember(B))))

    assert "refused" == answer.outcome


def test_whoever_works_on_nothing_that_exists_may_go() -> None:
    """A topic that is awaited has no queues that would be without a worker."""
    story = Story()
    story.reads(joined("a"), joined("b", "new"), routed("orders", 2))
    (answer,) = only(CommandAnswered, story.reads(commanded(DrainMember(B))))

    assert "done" == answer.outcome


def test_a_drain_is_taken_back() -> None:
    """The member has queues again, without having to restart; what it asks for itself stays."""
    story = two_members()
    story.reads(commanded(DrainMember(B)))
    story.settles()
    assert {"a"} == set(story.owners().values())
    (answer,) = only(CommandAnswered, story.reads(commanded(UndrainMember(B))))
    story.settles()

    assert "done" == answer.outcome
    assert {"a", "b"} == set(story.owners().values())
    (answer,) = only(CommandAnswered, story.reads(commanded(UndrainMember(B))))
    assert "refused" == answer.outcome


PAID = joined("c", "pay", capacity=1), routed("pay", 3)


@BOTH_STOPS
@pytest.mark.parametrize(
    ("queues", "others", "then", "lost"),
    [
        (4, [joined("a", capacity=2)], [], "2 of 4"),
        (8, [joined("a", capacity=2), joined("c")], [left("c", temporary=True)], "3 of 8"),
        (2, [joined("a", "orders pay", capacity=4), routed("pay", 4)], [], "2 of 6"),
        (2, [joined("b", "orders pay"), joined("a"), *PAID], [], "2 of 5"),
        (2, [joined("a"), *PAID], [], ""),
        (2, [joined("a", "orders pay"), *PAID[1:]], [joined("a", capacity=9, sequence=99)], ""),
    ],
    ids=["full", "one is away", "other queues", "one topic", "no need", "nobody wants some"],
)
def test_whose_queues_the_others_have_no_room_for_is_stopped_by_force_alone(
    stops: Stops, queues: int, others: list[Record], then: list[Record], lost: str
) -> None:
    """They would be taken from it, and given to nobody; the strategy is asked."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("b"), routed("orders", queues), *others)
    story.settles()
    (answer,) = only(CommandAnswered, story.reads(*then, commanded(stops(B), name="first")))

    assert answer.detail == (FULL.format(lost) if lost else "")
    if lost:
        assert [("done", "")] == answers(story, stops(B, force=True))


@BOTH_STOPS
def test_a_strategy_that_knows_no_limits_leaves_queues_to_nobody(stops: Stops) -> None:
    """It gives all members alike, and what is too much for one goes to no other."""
    story = Story(allocator=allocator("AVG"))
    story.reads(joined("a"), joined("b", capacity=2), joined("c"), routed("orders", 6))
    story.settles()

    assert [("refused", FULL.format("1 of 6"))] == answers(story, stops(MemberId("c")))


@pytest.mark.parametrize("capacity", [None, 4])
def test_who_rests_has_all_queues_where_nobody_else_works(capacity: int | None) -> None:
    """It is the leaving one that keeps it out."""
    story = Story(allocator=allocator("STICKY"), policy=Policy(flap_limit=2))
    story.reads(joined("a"), joined("b", capacity=capacity), routed("orders", 4))
    for life in range(2, 6):
        story.reads(left(f"b:{life - 1}" if life > 2 else "b"))
        story.reads(joined(f"b:{life}", capacity=capacity))
    story.settles()
    assert {"a"} == set(story.owners().values())
    assert [("done", "")] == answers(story, DrainMember(MemberId("a")))
    story.settles()
    assert {"b"} == set(story.owners().values())


@BOTH_STOPS
def test_who_is_known_to_be_silent_is_no_other_worker(stops: Stops) -> None:
    """Most of the group is, so nobody is evicted yet; who is silent may be."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(*map(joined, "abcde"), routed("orders", 10))
    for _ in range(12):
        story.waits(seconds=1)
        story.reads(*(beat_of(it, epoch=story.state.epoch) for it in "ab"))
    last = "no other member works on orders; use --force to stop it anyway"
    assert [("done", ""), ("refused", last)] == answers(story, stops(MemberId("a")), stops(B))
    assert [("done", "")] == answers(story, EvictMember(MemberId("c")))


def paused(*, eager: bool = False, heirs: bool = True) -> Story:
    """Three members with two queues each, in a pause."""
    story = Story(policy=Policy(standing_heirs=heirs), allocator=allocator("STICKY"))
    story.reads(*(joined(it, eager=eager) for it in "abc"), routed("orders", 6))
    story.ticks()
    story.reads(commanded(Pause()))
    return story


@pytest.mark.parametrize(("eager", "heirs"), [(True, True), (False, False)])
def test_in_a_pause_whose_queues_have_no_heir_is_evicted_by_force_alone(
    *, eager: bool, heirs: bool
) -> None:
    """Nobody would get them before its end; and a drain leaves them where they are."""
    story, owners = paused(eager=eager, heirs=heirs), {"a": 2, "b": 2, "c": 2}
    refused = f"{HEIRLESS} (2) would have no worker until `groups resume`"
    waits = f"{HEIRLESS} (2) wait for `groups resume`"
    assert [("refused", f"{refused}; use --force to stop it anyway")] == answers(
        story, EvictMember(B)
    )
    assert [("done", waits)] == answers(story, DrainMember(B))
    story.ticks()
    assert owners == Counter(story.owners().values())
    assert [("done", waits)] == answers(story, EvictMember(B, force=True))
    story.ticks()
    assert {"a": 2, "c": 2} == Counter(story.owners().values())


@BOTH_STOPS
def test_in_a_pause_heirs_have_the_queues_of_who_is_stopped(stops: Stops) -> None:
    """They were promised them."""
    story = paused()
    assert [("done", "")] == answers(story, stops(B))
    story.settles()
    story.ticks()
    assert {"a": 3, "c": 3} == Counter(story.owners().values())


def test_in_a_pause_an_heir_of_who_was_evicted_is_not_evicted_as_well() -> None:
    """A rack is stopped by one command each, in one batch: the heirs that are left count."""
    story = paused()
    said = answers(story, EvictMember(B), EvictMember(MemberId("c")))
    assert ["done", "refused"] == [outcome for outcome, _ in said]
    story.ticks()
    assert {"a": 3, "c": 3} == Counter(story.owners().values())


def test_in_a_pause_whoever_was_named_as_the_heir_is_not_evicted() -> None:
    """The holder has been told to name it, and nobody else."""
    story = paused()
    assert [("done", "")] == answers(story, DrainMember(MemberId("a")))
    refused = f"{HEIRLESS} (1) would have no worker until `groups resume`"
    assert [("refused", f"{refused}; use --force to stop it anyway")] == answers(
        story, EvictMember(B)
    )
    said = answers(story, EvictMember(B, force=True))
    story.settles()
    story.ticks()
    without = 6 - len(story.owners())
    assert [("done", f"{HEIRLESS} ({without}) wait for `groups resume`")] == said


def test_in_a_pause_an_heir_that_is_silent_is_none() -> None:
    """Its eviction is held, so the queue would be its until the end of the pause."""
    story = paused()
    for _ in range(15):
        story.waits(seconds=1)
        story.reads(*(beat_of(it, epoch=story.state.epoch) for it in "ab"))
    refused = f"{HEIRLESS} (1) would have no worker until `groups resume`"
    assert [("refused", f"{refused}; use --force to stop it anyway")] == answers(
        story, EvictMember(B)
    )


def test_in_a_pause_who_is_silent_is_evicted_at_once() -> None:
    """Its queues have no worker as it is."""
    story = paused(heirs=False)
    story.waits(seconds=6)
    story.reads(beat_of("a", epoch=1), beat_of("c", epoch=1))
    story.waits(seconds=5)
    assert [("done", f"{HEIRLESS} (2) wait for `groups resume`")] == answers(story, EvictMember(B))


def test_a_later_life_of_a_process_that_was_drained_drains() -> None:
    """It was too slow to let go, and begins anew by itself; a process that restarts is another."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("a"), joined("b:7-1"), routed("orders", 4))
    story.settles()
    story.reads(commanded(DrainMember(B)))
    for _ in range(20):
        story.waits(seconds=1)
        story.reads(beat_of("a", epoch=story.state.epoch))
    assert B not in story.state.membership.members
    story.reads(joined("b:7-2", last_epoch=story.state.epoch))
    story.settles()
    assert story.state.membership.members[B].dismissed
    assert {"a"} == {*story.owners().values()}

    story.reads(commanded(UndrainMember(B), name="back"))
    story.settles()
    assert {"a", "b"} == {*story.owners().values()}
    story.reads(joined("b:8-1", last_epoch=story.state.epoch))
    story.settles()
    assert not story.state.membership.members[B].draining
