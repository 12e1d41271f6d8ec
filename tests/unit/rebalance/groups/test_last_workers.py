"""Members that an operator stops: not the last of a topic, and not for ever (``obeying``)."""

import pytest

from allocators import allocator
from rebalance.groups.model.commands import DrainMember, EvictMember, UndrainMember
from rebalance.groups.model.decisions import CommandAnswered
from rebalance.groups.model.overview import GroupPhase
from rebalance.ids import MemberId
from tests.builders.records import beat_of, commanded, joined, left, routed
from tests.builders.story import Story, only, two_members

B = MemberId("b")


@pytest.mark.parametrize("stops", [DrainMember, EvictMember])
def test_the_last_worker_of_a_topic_is_stopped_by_force_alone(
    stops: type[DrainMember] | type[EvictMember],
) -> None:
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


@pytest.mark.parametrize("stops", [DrainMember, EvictMember])
@pytest.mark.parametrize("capacity", [None, 9])
def test_of_members_that_are_stopped_together_the_last_is_spared(
    stops: type[DrainMember] | type[EvictMember], capacity: int | None
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


@pytest.mark.parametrize("stops", [DrainMember, EvictMember])
def test_whose_queues_the_others_have_no_room_for_is_stopped_by_force_alone(
    stops: type[DrainMember] | type[EvictMember],
) -> None:
    """They would be taken from it, and given to nobody."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("a", capacity=2), joined("b"), routed("orders", 4))
    story.settles()
    (answer,) = only(CommandAnswered, story.reads(commanded(stops(B))))
    assert ("refused", "the others have room for 2 of 4 queues; use --force to stop it anyway") == (
        answer.outcome,
        answer.detail,
    )

    (answer,) = only(CommandAnswered, story.reads(commanded(stops(B, force=True), name="again")))
    assert "done" == answer.outcome


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
