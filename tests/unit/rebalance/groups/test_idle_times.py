"""History says of each hand-over under which token, and how long nobody may have worked."""

from rebalance.groups.model.decisions import HandedOver
from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from tests.builders.records import beat_of, left, released
from tests.builders.story import Story, handing_over, only, two_members

SESSION_S = 10
POLICY = Policy(session_timeout_ms=Millis(1_000 * SESSION_S))


def falls_silent(story: Story) -> HandedOver:
    """Member b is heard no more, until a has its queue."""
    for _ in range(SESSION_S + 2):
        story.waits(seconds=1)
        story.reads(beat_of("a"))
    (handed,) = only(HandedOver, story.decisions)
    return handed


def test_a_queue_of_a_silent_member_was_idle_since_its_last_sign() -> None:
    """Nobody had told it to let go, so nothing was waited for; all the same nobody worked."""
    story = two_members(policy=POLICY)
    handed = falls_silent(story)

    assert ("b", "a", "fenced", 0) == (
        handed.from_member,
        handed.to_member,
        handed.ending,
        handed.duration_ms,
    )
    assert handed.idle_ms is not None
    assert 1_000 * SESSION_S <= handed.idle_ms <= 1_000 * (SESSION_S + 2)
    assert f"a@{handed.epoch}" == story.pages()["orders-1"]


def test_a_queue_that_is_let_go_is_not_idle() -> None:
    """Its heir begins on the release itself, which is told with the token that it begins under."""
    story = handing_over()
    story.waits(seconds=3)
    story.reads(released("a", "orders-1@1>2"))
    (handed,) = only(HandedOver, story.decided)

    assert (2, 0) == (handed.epoch, handed.idle_ms)
    assert 3_000 <= handed.duration_ms


def test_a_queue_whose_member_leaves_waits_for_the_log_alone() -> None:
    """Until the release that the controller writes for it is read."""
    story = two_members(policy=POLICY)
    story.waits(seconds=3)
    story.reads(left("b"))
    story.ticks()
    (handed,) = only(HandedOver, story.decisions)

    assert handed.idle_ms is not None
    assert handed.idle_ms <= 1_000


def test_what_a_guard_releases_was_idle_since_the_last_beat() -> None:
    """The guard knows that its process is dead, and not when it died."""
    story = handing_over()
    story.reads(beat_of("a"))
    story.waits(seconds=3)
    story.reads(released("a", "orders-1@1>2", own=False))
    (handed,) = only(HandedOver, story.decided)

    assert (2, 3_000) == (handed.epoch, handed.idle_ms)
