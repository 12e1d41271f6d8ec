"""The policy: what makes no sense is refused, what a member asks for is bounded."""

import re

import pytest

from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis

REFUSED = {
    "session below its minimum": (
        {"session_timeout_ms": 500},
        "session_timeout must lie between its minimum and its maximum",
    ),
    "session above its maximum": (
        {"session_timeout_ms": 600_001},
        "session_timeout must lie between its minimum and its maximum",
    ),
    "less than two beats a session": (
        {"heartbeat_interval_ms": 5_001},
        "session_timeout must be at least twice heartbeat_interval",
    ),
    "a session of less than five steps of the clock": (
        {"session_timeout_ms_min": 9_999},
        (
            "session_timeout_min (9999 ms) must be at least 5 times controller.max_clock_step "
            "(2000 ms), or a clock that jumps ends living sessions: shorter sessions need a "
            "shorter step, and ticks and batches of beats at shorter intervals"
        ),
    ),
    "revocation above its maximum": (
        {"revocation_timeout_ms": 600_001},
        "revocation_timeout must not exceed its maximum",
    ),
    "no beats": ({"heartbeat_interval_ms": 0}, "heartbeat_interval must be positive"),
    "no time to let go": ({"revocation_timeout_ms": 0}, "revocation_timeout must be positive"),
    "a clock that stands": ({"max_clock_step_ms": 0}, "max_clock_step must be positive"),
    "less than no grace": ({"eager_grace_ms": -1}, "eager_grace must not be negative"),
    "very many share a queue": (
        {"share_number": 101},
        "share_number must be at most 100, or -1 for all",
    ),
    "very many share a queue of one topic": (
        {"share_numbers": (("orders", 2), ("visits", 101))},
        "share_number must be at most 100, or -1 for all",
    ),
    "no members": ({"max_members": 0}, "max_members must be positive"),
    "no patterns": ({"max_patterns": 0}, "max_patterns must be positive"),
    "no queues": ({"max_queues": 0}, "max_queues must be positive"),
}


@pytest.mark.parametrize(("fields", "complaint"), REFUSED.values(), ids=REFUSED.keys())
def test_contradiction_is_refused(fields: dict[str, object], complaint: str) -> None:
    """A policy that exists makes sense; one that does not names the setting."""
    with pytest.raises(ValueError, match=re.escape(complaint)) as refusal:
        Policy(**fields)  # type: ignore[arg-type]  # a table of wrong ones

    assert complaint == str(refusal.value)


def test_edges_of_the_rules_are_allowed() -> None:
    """Exactly two beats a session, and timeouts at their bounds, make sense."""
    policy = Policy(
        session_timeout_ms=Millis(1_000),
        session_timeout_ms_min=Millis(1_000),
        max_clock_step_ms=Millis(200),
        heartbeat_interval_ms=Millis(500),
        revocation_timeout_ms=Millis(600_000),
        max_members=1,
        max_queues=1,
    )

    assert 500 == policy.heartbeat_interval_ms


def test_nobody_is_told_to_beat_faster_than_the_wire_can_say() -> None:
    """Three beats in the shortest session would be more than one in 100 ms."""
    assert [100, 333, 3_000] == [Policy().heartbeat_ms(Millis(it)) for it in (150, 1_000, 60_000)]


WISHES = {
    "none": (None, 10_000),
    "modest": (20_000, 20_000),
    "too short": (9_999, 10_000),
    "too long": (10_000_000, 600_000),
}


@pytest.mark.parametrize(("wished", "granted"), WISHES.values(), ids=WISHES.keys())
def test_session_timeout_of_a_member_is_bounded(wished: int | None, granted: int) -> None:
    """A member may name a session between the operator's bounds; none means the default."""
    assert granted == Policy().session_ms(None if wished is None else Millis(wished))


def test_revocation_timeout_of_a_member_is_bounded() -> None:
    """A member may name a shorter or longer time to let go, up to the operator's maximum."""
    wishes = (None, Millis(1), Millis(10_000_000))

    assert [60_000, 1, 600_000] == [Policy().revocation_ms(wished) for wished in wishes]


def test_members_beat_at_least_three_times_a_session() -> None:
    """A member with a short session is told to beat more often, or it would expire at once."""
    sessions = (Millis(1_000), Millis(9_000), Millis(600_000))

    assert [333, 3_000, 3_000] == [Policy().heartbeat_ms(session) for session in sessions]
