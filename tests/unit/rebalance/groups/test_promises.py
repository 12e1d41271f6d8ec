"""Queues that are meant for a member which cannot be promised them as things are."""

from allocators import allocator
from rebalance.groups.model.commands import Pause, Resume
from rebalance.groups.model.policy import Policy, TwinRule
from rebalance.ids import InstanceId, MemberId, Millis
from tests.builders.records import beat_of, commanded, joined, left, missing, routed, wild
from tests.builders.story import Story

HERS = InstanceId("i")


def test_nobody_lets_go_for_a_member_that_is_away() -> None:
    """Else the queue would rest until its return; it is kept where it is worked on."""
    story = Story(allocator=allocator("AVG"))
    story.reads(joined("a"), joined("b", session_ms=600_000), joined("c"), routed("orders", 6))
    story.reads(left("b", temporary=True))
    story.reads(joined("a0"))
    story.settles()
    meant = {queue.id for queue, owner in story.state.target.owners.items() if owner == "b"}
    assert {4} == meant
    assert "c@1" == story.pages()["orders-4"]

    story.reads(joined("b", session_ms=600_000, sequence=50))
    story.settles()
    assert {"a": 2, "a0": 2, "b": 1, "c": 1} == {
        name: list(story.owners().values()).count(name) for name in ("a", "a0", "b", "c")
    }


def test_nobody_keeps_more_than_it_can_carry() -> None:
    """What it holds for one that is away counts beside its own share (I10)."""
    story = Story(allocator=allocator("AVG"))
    story.reads(joined("a"), joined("b", session_ms=600_000), joined("c", capacity=2))
    story.reads(routed("orders", 6))
    story.reads(left("b", temporary=True))
    story.reads(joined("a0"))
    assert ["c@2", "c@2"] == [story.pages()[name] for name in ("orders-4", "orders-5")]

    story.reads(routed("orders", 7, version=2))
    meant = {queue.id: name for queue, name in story.state.target.owners.items() if queue.id > 3}
    assert {4: "b", 5: "b", 6: "c"} == meant
    told = story.told("c")
    assert ([4, 6], [5]) == (
        [naming.queue.id for naming in told.hold],
        [naming.queue.id for naming in told.give],
    )


def test_nobody_lets_go_for_an_heir_that_can_carry_less() -> None:
    """The heir of an instance takes over what the next target gives it."""
    story = Story(policy=Policy(on_twin_instance=TwinRule.HAND_OVER))
    story.reads(joined("a", instance=HERS), routed("orders", 2))
    story.reads(commanded(Pause()))
    story.reads(joined("c", instance=HERS, capacity=1))
    assert {"orders-0": "a@1", "orders-1": "a@1"} == story.pages()

    story.reads(joined("d", "payments", instance=HERS))
    assert {"orders-0": "a@1", "orders-1": "a@1"} == story.pages()


def test_nobody_is_promised_more_than_it_can_carry_now() -> None:
    """Also if the same life said first that it could carry more (I10)."""
    policy = Policy(assignment_interval_ms=Millis(60_000))
    story = Story(policy=policy, allocator=allocator("STICKY"))
    story.reads(joined("a", capacity=4), joined("b", capacity=4), routed("orders", 4))
    story.reads(left("b", temporary=True))
    story.reads(joined("b", capacity=1, sequence=50))

    assert {"a"} == set(story.owners().values())


def test_a_topic_that_comes_back_before_its_holders_were_told_is_another_one() -> None:
    """It was gone from the map in a pause, and is there again at its end: positions are void."""
    story = Story()
    story.reads(joined("a", "", patterns=wild("ord*")), routed("orders", 2, generation="old"))
    story.reads(commanded(Pause()))
    story.reads(missing("orders", version=2), missing("orders", version=3))
    for _ in range(11):
        story.waits(seconds=3)
        story.reads(beat_of("a", epoch=1))
    story.reads(routed("orders", 2, version=4, generation="new"))
    story.reads(commanded(Resume()))

    assert [] == list(story.told("a").hold)
    story.settles()
    assert not {"a@1"} & set(story.pages().values())


def test_who_is_away_does_not_spare_those_who_rest() -> None:
    """Somebody has to work on the topic, and it is the only one that could (C11)."""
    story = Story(allocator=allocator("STICKY"))
    story.reads(joined("b", session_ms=600_000), routed("orders", 2))
    for life in range(1, 5):
        story.reads(joined(f"a:{life}"))
        story.settles()
        story.reads(left(f"a:{life}"))
    story.reads(left("b", temporary=True))
    story.reads(joined("a:9"))

    assert story.state.membership.members[MemberId("a")].resting_until is not None
    assert {"a"} == set(story.owners().values())


def test_a_target_of_nothing_does_not_make_the_first_one_wait() -> None:
    """Its first route comes after the join, within the interval: it is granted at once."""
    story = Story(policy=Policy(assignment_interval_ms=Millis(5_000)))
    story.reads(joined("a"))
    story.waits(seconds=0.2)
    story.reads(routed("orders", 2))

    assert {"orders-0": "a@2", "orders-1": "a@2"} == story.pages()
