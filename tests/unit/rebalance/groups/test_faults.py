"""Faults of the catalogue that have no test elsewhere, each named after its fault.

``docs/survival.md`` lists all of them; what is shown by another test is linked there.
"""

import pytest

from allocators import allocator
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    ClaimRefused,
    MemberChange,
    MemberChanged,
    Rebalanced,
)
from rebalance.groups.model.events import Mode
from rebalance.groups.model.overview import GroupPhase, GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.ids import InstanceId, Millis
from tests.builders.records import Record, beat_of, drained, joined, left, released, routed
from tests.builders.story import Story, only, two_members

PATIENT = Policy(session_timeout_ms=Millis(600_000))
"""Nobody falls silent in these stories."""


def sticky(policy: Policy = PATIENT) -> Story:
    """Begin with nobody, under the strategy that moves least."""
    return Story(policy=policy, allocator=allocator("STICKY"))


def changes(story: Story) -> list[tuple[str, MemberChange]]:
    """What became of whom, joins apart."""
    return [
        (changed.member, changed.change)
        for changed in only(MemberChanged, story.decisions)
        if changed.change is not MemberChange.JOINED
    ]


def test_a2_controller_away_for_an_hour() -> None:
    """Members live and beat all the while: nobody is evicted, nothing moves, nothing is said."""
    story = two_members()
    before = story.pages()
    story.away(seconds=3600)

    assert [] == story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))
    assert [] == story.waits(seconds=9)
    assert before == story.pages()


def test_a9_a_batch_that_takes_very_long() -> None:
    """Beats that were written in time and read late count from when they were written."""
    story = two_members()
    for _ in range(20):  # what the log held, however it is cut into batches
        story.away(seconds=4)
        assert [] == story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))

    assert [] == changes(story)


def test_b1_a_members_clock_an_hour_behind() -> None:
    """A restart with an older incarnation waits for its former life's session, then it is in."""
    story = Story()
    story.reads(joined("a:5"), routed("orders", 2))
    story.reads(joined("a:4"))
    assert {"orders-0": "a:5@1", "orders-1": "a:5@1"} == story.pages()

    story.waits(seconds=10)
    story.reads(joined("a:4"))

    assert {"orders-0": "a:4@3", "orders-1": "a:4@3"} == story.pages()


def test_b3_every_record_twice() -> None:
    """A record that is written again leaves books, roster and epoch as they are."""
    story = Story()
    records: list[Record] = [
        joined("a", sequence=1),
        routed("orders", 2),
        joined("b", sequence=1),
        released("a", "orders-1@2>3"),
        beat_of("a", epoch=3, owned="orders-0@2", sequence=1),
        drained("b", sequence=2),
        released("b", "orders-1@3>5"),
    ]
    for record in records:
        story.reads(record)
        once = (story.state.epoch, story.pages(), story.state.membership.members)
        story.reads(record)

        assert once == (story.state.epoch, story.pages(), story.state.membership.members)

    assert {"orders-0": "a@2", "orders-1": "a@5"} == story.pages()


JUMPS = {
    "an hour ahead, for one record": dict.fromkeys([12], 3_600),
    "a day ahead, for one record": dict.fromkeys([12], 86_400),
    "an hour ahead, for a while": dict.fromkeys(range(12, 17), 3_600),
    "again and again": dict.fromkeys(range(12, 60, 8), 3_600),
    "an hour back, for one record": dict.fromkeys([12], -3_600),
    "an hour back, for good": dict.fromkeys(range(12, 60), -3_600),
}
"""By how many seconds the stamp of a second is wrong."""


@pytest.mark.parametrize("skews", JUMPS.values(), ids=JUMPS.keys())
def test_b2_a_brokers_clock_that_jumps(skews: dict[int, int]) -> None:
    """Who died is removed two steps after its session at the latest, and not a step before it.

    Whoever beats stays. The silent one says its last word as the clock begins to jump.
    """
    story, died = two_members(), 12
    began = story.wall
    for second in range(1, 60):
        story.wall = began + 1_000 * (second + skews.get(second, 0))
        if second % 3 == 0:
            story.reads(*(beat_of(name, epoch=1) for name in ("ab" if second <= died else "a")))
        else:
            story.ticks()
        gone = {name for name, _ in changes(story)}
        assert gone <= {"b"}
        assert not gone or second >= died + 8
        assert gone or second <= died + 14


@pytest.mark.parametrize("session_s", [3, 10])
@pytest.mark.parametrize("stall_s", [4, 30])
@pytest.mark.parametrize("lost", [False, True])
def test_f1_sessions_outlive_a_kafka_that_stalls(
    session_s: int, stall_s: int, *, lost: bool
) -> None:
    """With the clock that they need; one beat may be lost, and the next be due in the stall."""
    policy = Policy(
        session_timeout_ms=Millis(1_000 * session_s),
        session_timeout_ms_min=Millis(1_000 * session_s),
        heartbeat_interval_ms=Millis(300 * session_s),
        max_clock_step_ms=Millis(200 * session_s),
    )
    story = two_members(policy=policy)
    tick_s = session_s / 10
    for _ in range(10):
        story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))
        for _ in range(2):
            for _ in range(3):
                story.waits(seconds=tick_s)
            if not lost:
                story.reads(beat_of("a", epoch=1), beat_of("b", epoch=1))
        story.away(seconds=stall_s)
        story.waits(seconds=tick_s)

    assert [] == changes(story)


def test_a_session_that_is_too_short_is_lengthened() -> None:
    """A member that asks for 3 s gets five steps, and is told so; a stall of 4 s ends none."""
    story = Story()
    story.reads(joined("a", session_ms=3_000), joined("b", session_ms=3_000), routed("orders", 2))
    story.waits(seconds=3)
    story.away(seconds=4)
    story.waits(seconds=2)

    told = only(AssignmentIssued, story.decisions)
    assert {10_000} == {record.session_timeout_ms for record in told}
    assert [] == changes(story)


def test_a_session_of_before_is_as_long_as_the_clock_needs_now() -> None:
    """Settings that changed over a restart lengthen what was granted, and shorten nothing."""
    story = two_members(
        policy=Policy(
            session_timeout_ms=Millis(5_000),
            session_timeout_ms_min=Millis(5_000),
            heartbeat_interval_ms=Millis(1_000),
            max_clock_step_ms=Millis(1_000),
        )
    )
    story.policy = Policy()
    story.waits(seconds=9)
    assert [] == changes(story)

    story.waits(seconds=1)
    assert ["a", "b"] == [name for name, _ in changes(story)]


def test_b7_nobody_for_days() -> None:
    """A group whose members all died ends empty, once, with one tombstone each."""
    story = two_members()
    decided = story.waits(seconds=3 * 3600)

    assert ["a", "b"] == [gone.member for gone in only(AssignmentWithdrawn, decided)]
    assert [GroupPhase.EMPTY] == [said.phase for said in only(GroupSummarised, decided)]
    assert story.state.deadline is None


def test_c6_many_slow_revokers() -> None:
    """All let go just in time: the round completes, and there is no second one on top."""
    story = sticky()
    story.reads(*(joined(f"m{number}") for number in range(5)), routed("orders", 20))
    story.reads(*(joined(f"n{number}") for number in range(5)))
    story.waits(seconds=59)
    story.settles()

    assert [] == changes(story)
    assert 2 == len(only(Rebalanced, story.decisions))
    assert [2] * 10 == [
        len(story.told(f"{kind}{number}").hold) for kind in "mn" for number in range(5)
    ]


def test_c8_a_member_that_releases_and_goes_on() -> None:
    """What it owns gives it away: its claim is refused aloud, and its heir keeps the queue."""
    story = Story()
    story.reads(joined("a"), routed("orders", 2))
    story.reads(joined("b"))
    story.obeys("a")
    [refused] = only(
        ClaimRefused, story.reads(beat_of("a", epoch=3, owned="orders-0@1 orders-1@1"))
    )

    assert ["orders-1"] == [f"{queue.topic}-{queue.id}" for queue in refused.queues]
    assert {"orders-0": "a", "orders-1": "b"} == story.owners()


def test_c9_a_claim_of_what_was_never_granted() -> None:
    """It is refused, answered with the member's own record, and changes nothing."""
    story = two_members()
    before = story.pages()
    decided = story.reads(beat_of("a", epoch=1, owned="orders-0@1 orders-1@1"))

    assert ["a"] == [refused.member for refused in only(ClaimRefused, decided)]
    assert (before, 1) == (story.pages(), story.state.epoch)


def test_c11_a_flapping_member_moves_nobody() -> None:
    """Once it rests, it may come and go as it likes: the others keep what they have."""
    story = sticky()
    story.reads(joined("a"), joined("b:1"), routed("orders", 4))
    for life in range(2, 6):
        story.reads(left(f"b:{life - 1}"))
        story.reads(joined(f"b:{life}"))
        story.settles()
    moves = sum(rebalanced.moves for rebalanced in only(Rebalanced, story.decisions))
    for life in range(6, 20):
        story.reads(left(f"b:{life - 1}"))
        story.reads(joined(f"b:{life}"))

    assert moves == sum(rebalanced.moves for rebalanced in only(Rebalanced, story.decisions))
    assert {"a"} == set(story.owners().values())


def test_c13_a_rolling_deploy_of_static_members() -> None:
    """Each leaves for a moment and returns under its instance: not one queue moves."""
    story = sticky()
    names = [f"m{number}" for number in range(6)]
    story.reads(*(joined(name, instance=InstanceId(name)) for name in names), routed("orders", 12))
    before = story.owners()
    for name in names:
        story.reads(left(name, temporary=True))
        story.waits(seconds=3)
        story.reads(joined(f"{name}:2", instance=InstanceId(name)))

    assert before == story.owners()
    assert 0 == sum(rebalanced.moves for rebalanced in only(Rebalanced, story.decisions))


def test_c14_a_rolling_deploy_of_dynamic_members() -> None:
    """With a surge of one in four: at most twice the moves of handing everything over once."""
    story = sticky()
    story.reads(*(joined(f"old{number}") for number in range(4)), routed("orders", 24))
    for number in range(4):
        story.reads(joined(f"new{number}"))
        story.settles()
        story.reads(drained(f"old{number}"))
        story.settles()
        story.reads(left(f"old{number}"))

    assert [6] * 4 == [len(story.told(f"new{number}").hold) for number in range(4)]
    assert sum(rebalanced.moves for rebalanced in only(Rebalanced, story.decisions)) <= 2 * 24


def test_c19_members_of_every_kind_in_one_group() -> None:
    """Cooperative, eager and broadcasting members come to rest, each after its own manner."""
    story = sticky()
    story.reads(joined("a"), joined("b", eager=True), joined("c", mode=Mode.BROADCASTING))
    story.reads(routed("orders", 4))
    story.reads(joined("d"))
    story.settles()

    assert {"a", "b", "d"} == set(story.owners().values())
    assert 4 == len(story.told("c").hold)
    assert [] == story.waits(seconds=60)
