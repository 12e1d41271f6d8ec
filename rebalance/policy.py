"""What an operator may choose about a group, with the consequences.

A policy is a value that the composition root makes once from the settings and passes inward;
the brain reads it and nothing else. Cross-field rules are checked when it is built, so a policy
that exists is a policy that makes sense.

Its one rule: every number has a unit in its name and a reason beside it.
"""

from dataclasses import dataclass

from rebalance.ids import Millis


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Timeouts, limits and the strategy of a group."""

    strategy: str = "STICKY"
    """Which allocator computes the target, by its registered name."""
    strategy_options: str = "{}"
    """What else that allocator is told, as the text of a JSON object: a policy is a plain value,
    and what the options mean is the allocator's business."""

    session_timeout_ms: Millis = Millis(10_000)
    """Silence after which a member is taken for dead, for members that name none. Shorter finds a
    crash sooner and forgives less: a member must get about three beats through in this time."""
    session_timeout_ms_min: Millis = Millis(1_000)
    session_timeout_ms_max: Millis = Millis(600_000)
    """What a member asks for is clamped to these two."""
    heartbeat_interval_ms: Millis = Millis(3_000)
    """How often members are told to beat, at most: a member with a short session beats three times
    in it. As in Kafka, two beats may be lost before the third one saves the member."""

    revocation_timeout_ms: Millis = Millis(60_000)
    """How long a holder may take to release a queue it was told to give. After it the holder is
    fenced and the heir confirmed. It must cover the longest message a member works on."""
    revocation_timeout_ms_max: Millis = Millis(600_000)

    max_clock_step_ms: Millis = Millis(5_000)
    """How much silence one record of the log can prove (see ``clock``). Five ticks: a controller
    pause of a few seconds costs no accuracy, an outage counts as five seconds."""

    max_members: int = 10_000
    """Joins beyond this are refused before any state grows."""
    max_queues: int = 10_000
    """Routes that would take a group beyond this are refused. All of them may come to one member,
    and its record has to name each."""

    def __post_init__(self) -> None:
        """Check the rules, above all those that span fields."""
        positive = {
            "session_timeout_min": self.session_timeout_ms_min,
            "heartbeat_interval": self.heartbeat_interval_ms,
            "revocation_timeout": self.revocation_timeout_ms,
            "max_clock_step": self.max_clock_step_ms,
            "max_members": self.max_members,
            "max_queues": self.max_queues,
        }
        for name, value in positive.items():
            if value < 1:
                raise ValueError(f"{name} must be positive")
        least, most = self.session_timeout_ms_min, self.session_timeout_ms_max
        if not least <= self.session_timeout_ms <= most:
            raise ValueError("session_timeout must lie between its minimum and its maximum")
        if 2 * self.heartbeat_interval_ms > self.session_timeout_ms:
            raise ValueError("session_timeout must be at least twice heartbeat_interval")
        if self.revocation_timeout_ms > self.revocation_timeout_ms_max:
            raise ValueError("revocation_timeout must not exceed its maximum")

    def session_ms(self, wished: Millis | None) -> Millis:
        """Return the session timeout of a member that asked for ``wished``."""
        if wished is None:
            return self.session_timeout_ms
        return max(self.session_timeout_ms_min, min(wished, self.session_timeout_ms_max))

    def heartbeat_ms(self, session_timeout_ms: Millis) -> Millis:
        """Return how often a member with this session is to beat: three times at least."""
        return min(self.heartbeat_interval_ms, Millis(session_timeout_ms // 3))

    def revocation_ms(self, wished: Millis | None) -> Millis:
        """Return the revocation timeout of a member that asked for ``wished``."""
        if wished is None:
            return self.revocation_timeout_ms
        return min(wished, self.revocation_timeout_ms_max)
