"""What an operator may choose about a group, with the consequences.

A policy is a value that the composition root makes once from the settings and passes inward;
the brain reads it and nothing else. Cross-field rules are checked when it is built, so a policy
that exists is a policy that makes sense.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from rebalance.ids import GroupName, Millis, TopicName

_WHOLE: Final = 100
"""Percent."""
_SHORTEST_MS: Final = Millis(100)
"""No member is told to beat faster: the wire knows no shorter timeout."""
STEPS_IN_A_SESSION: Final = 5
"""A session is at least so many clock steps. Members stop by themselves after four fifths of it
(``trimtab.session.fencing``), and the clock may be a step ahead of real time, but no more: so it
has not evicted them before that. And a gap in the log, which counts as a step, leaves them the
rest of their session, enough to repeat a lost beat."""


BEATS_IN_A_SESSION: Final = 4
"""Of a member whose pace the controller sets: it may be late by a beat when it learns of another
pace, and then two may be lost. Kafka's default has three."""


_SHARED_MAX: Final = 100
"""The highest share number: so many runs of queues each member's record names. With ten thousand
members and half of them it would be fifty million queues; all of them are one list."""


class TwinRule(StrEnum):
    """What happens when two lives claim one name."""

    FENCE_OLDER = "fence-older"
    """The younger takes over at once: right for restarts, which are most of what looks like it."""
    REFUSE_NEWER = "refuse-newer"
    """The younger waits until the older is gone, as in KIP-848."""
    SEPARATE = "separate"
    """They are two members: right for fleets whose containers all have the same client id."""
    HAND_OVER = "hand-over"
    """The younger inherits from the older, which works on until then. Only for two members with
    one instance; two lives of one member cannot be told apart by the records addressed to it."""


class Compat(StrEnum):
    """Whose habits a group keeps."""

    NONE = "none"
    ROCKETMQ = "rocketmq"
    """One subscription for all members that know no releases: that of the last who spoke."""


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
    session_timeout_ms_min: Millis = Millis(10_000)
    session_timeout_ms_max: Millis = Millis(600_000)
    """What a member asks for is clamped to these two. The least is five clock steps."""
    heartbeat_interval_ms: Millis = Millis(3_000)
    """How often members are told to beat, at most: a member with a short session beats three times
    in it. As in Kafka, two beats may be lost before the third one saves the member."""
    heartbeat_auto: bool = False
    """Members beat less often than that when the controller asks for it (``pace``)."""

    revocation_timeout_ms: Millis = Millis(60_000)
    """How long a holder may take to release a queue it was told to give. After it the holder is
    fenced and the heir confirmed (later, if it is less than five sessions: ``timers``). It must
    cover the longest message a member works on."""
    revocation_timeout_ms_max: Millis = Millis(600_000)

    eager_grace_ms: Millis = Millis(0)
    """How long a holder that sends no releases keeps a queue that was taken from it. RocketMQ gives
    it no time at all: both may work on the queue until the old one notices."""

    compat: Compat = Compat.NONE
    """RocketMQ's way with subscriptions, for users who rely on it: members that differ take topics
    from each other at every heartbeat."""

    share_number: int = -1
    """How many members' runs of queues, beside its own, a member of mode shared draws from
    (``commons``). RocketMQ's default, all: -1."""
    share_numbers: tuple[tuple[str, int], ...] = ()
    """Other ones, by topic, or by group and topic with a slash between them."""

    max_clock_step_ms: Millis = Millis(2_000)
    """How much silence one record of the log can prove (see ``clock``). Two ticks, so that one may
    be late; an outage counts as two seconds. No more than a fifth of the shortest session."""

    on_twin: TwinRule = TwinRule.FENCE_OLDER
    """Two lives of one member (fault C1)."""
    on_twin_instance: TwinRule = TwinRule.FENCE_OLDER
    """Two members with one instance (fault C2)."""

    standing_heirs: bool = False
    """Each queue has somebody who takes it over at once when its owner goes (``succession``)."""

    assignment_interval_ms: Millis = Millis(0)
    """The least time between two targets of a group. 0: one for each batch that needs one, which
    already gathers what arrives within a batch; more calms groups that never come to rest (C10)."""

    blast_percent: int = 50
    """Evictions are held while more than this share of a group looks dead at once: then it is
    likelier that we, or Kafka, do not hear them (Eureka and Kubernetes stop at similar shares)."""
    blast_members: int = 3
    """Fewer silent members than this are never held: of two members, one is half."""
    blast_hold_ms: Millis = Millis(30_000)
    """How long held members may stay silent before their silence counts as confirmed. They have
    fenced themselves, so their queues rest for so long, if they really died."""

    flap_half_life_ms: Millis = Millis(60_000)
    """In this time half of a member's departures are forgotten, as in BGP's route damping."""
    flap_limit: int = 4
    """So many departures within about one half-life, and a member that returns gets no queues until
    half of them are forgotten (C11). A rolling deploy restarts a member once or twice."""

    route_damping_ms: Millis = Millis(30_000)
    """How long queues must have vanished before that is believed (D1)."""
    route_share_percent: int = 50
    """A topic that lost more than this share must be seen so a second time, too (D6)."""

    keep_empty_ms: Millis = Millis(3_600_000)
    """How long what a group without members has left is kept (``remains``). An hour: a
    member that is restarted is back sooner, finds its queues known, and no command is obeyed twice.
    A name that never comes back costs nothing after it."""

    max_members: int = 10_000
    """Joins beyond this are refused before any state grows."""
    max_patterns: int = 200
    """A join that would bring the group to more different patterns is refused: each of them is
    compared with the name of each topic of the cluster."""
    max_queues: int = 10_000
    """Topics that would take a group beyond this are left out. All queues may come to one member,
    and its record has to name each (``extent``)."""

    def __post_init__(self) -> None:
        """Check the rules, above all those that span fields."""
        self._check_ranges()
        least, most = self.session_timeout_ms_min, self.session_timeout_ms_max
        if not least <= self.session_timeout_ms <= most:
            raise ValueError("session_timeout must lie between its minimum and its maximum")
        if least < STEPS_IN_A_SESSION * self.max_clock_step_ms:
            raise ValueError(
                f"session_timeout_min ({least} ms) must be at least {STEPS_IN_A_SESSION} times "
                f"controller.max_clock_step ({self.max_clock_step_ms} ms), or a clock that jumps "
                "ends living sessions: shorter sessions need a shorter step, and ticks and batches "
                "of beats at shorter intervals"
            )
        if 2 * self.heartbeat_interval_ms > self.session_timeout_ms:
            raise ValueError("session_timeout must be at least twice heartbeat_interval")
        if self.revocation_timeout_ms > self.revocation_timeout_ms_max:
            raise ValueError("revocation_timeout must not exceed its maximum")
        if self.on_twin is TwinRule.HAND_OVER:
            raise ValueError("on_twin cannot be hand-over: only instances can be handed over")
        if max(self.share_number, *(it for _, it in self.share_numbers), -1) > _SHARED_MAX:
            raise ValueError(f"share_number must be at most {_SHARED_MAX}, or -1 for all")

    def _check_ranges(self) -> None:
        positive = {
            "session_timeout_min": self.session_timeout_ms_min,
            "heartbeat_interval": self.heartbeat_interval_ms,
            "revocation_timeout": self.revocation_timeout_ms,
            "max_clock_step": self.max_clock_step_ms,
            "blast_members": self.blast_members,
            "flap_half_life": self.flap_half_life_ms,
            "flap_limit": self.flap_limit,
            "keep_empty": self.keep_empty_ms,
            "max_members": self.max_members,
            "max_patterns": self.max_patterns,
            "max_queues": self.max_queues,
        }
        for name, value in positive.items():
            if value < 1:
                raise ValueError(f"{name} must be positive")
        lengths = {
            "eager_grace": self.eager_grace_ms,
            "assignment_interval": self.assignment_interval_ms,
            "blast_hold": self.blast_hold_ms,
            "route_damping": self.route_damping_ms,
        }
        for name, length in lengths.items():
            if length < 0:
                raise ValueError(f"{name} must not be negative")
        shares = {
            "blast_percent": self.blast_percent,
            "route_share_percent": self.route_share_percent,
        }
        for name, percent in shares.items():
            if not 0 <= percent <= _WHOLE:
                raise ValueError(f"{name} must lie between 0 and 100")

    def share_number_of(self, group: GroupName, topic: TopicName) -> int:
        """Return the share number of a group's topic."""
        numbers = dict(self.share_numbers)
        own = numbers.get(f"{group}/{topic}", numbers.get(topic))
        return self.share_number if own is None else own

    def session_ms(self, wished: Millis | None) -> Millis:
        """Return the session timeout of a member that asked for ``wished``."""
        if wished is None:
            return self.session_timeout_ms
        return max(self.session_timeout_ms_min, min(wished, self.session_timeout_ms_max))

    def silence_ms(self, session_timeout_ms: Millis) -> Millis:
        """Return the silence that ends such a session.

        It may have been granted when the clock's step was another.
        """
        return max(session_timeout_ms, Millis(STEPS_IN_A_SESSION * self.max_clock_step_ms))

    def heartbeat_ms(self, session_timeout_ms: Millis) -> Millis:
        """Return how often a member with this session is to beat: three times at least."""
        third = max(_SHORTEST_MS, Millis(session_timeout_ms // 3))
        return min(self.heartbeat_interval_ms, third)

    @property
    def longest_interval_ms(self) -> Millis:
        """The longest that the controller may ask for: the longest session has enough of them."""
        return Millis(self.session_timeout_ms_max // BEATS_IN_A_SESSION)

    def at_pace(self, pace_ms: Millis) -> "Policy":
        """Return the policy of a group whose members were asked to beat as rarely as that.

        Sessions are longer with it: as always, two beats may be lost before the third.
        """
        interval = min(pace_ms, self.longest_interval_ms)
        if not self.heartbeat_auto or interval <= self.heartbeat_interval_ms:
            return self
        session = Millis(BEATS_IN_A_SESSION * interval)
        return replace(
            self,
            heartbeat_interval_ms=interval,
            session_timeout_ms=max(self.session_timeout_ms, session),
            session_timeout_ms_min=max(self.session_timeout_ms_min, session),
        )

    def revocation_ms(self, wished: Millis | None) -> Millis:
        """Return the revocation timeout of a member that asked for ``wished``."""
        if wished is None:
            return self.revocation_timeout_ms
        return min(wished, self.revocation_timeout_ms_max)
