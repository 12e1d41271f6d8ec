"""Overrides: the settings that one group has of its own.

An operator gives them all at once (``commands.ChoosePolicy``): settings that are not named are the
controller's again. ``Policy``, which they become part of, checks whether they fit together. A group
cannot override what protects the controller itself (how many members, queues and patterns, how fast
the clock may run), nor how names are told apart.

Called by ``draft`` and ``obeying``.
"""

from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from functools import lru_cache

from rebalance.groups.model.policy import Compat, Policy, TwinRule
from rebalance.ids import Millis, TopicName


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """Named as in ``Policy``; None is the controller's."""

    session_timeout_ms: Millis | None = None
    session_timeout_ms_min: Millis | None = None
    session_timeout_ms_max: Millis | None = None
    """These count for members that join from then on: a member that learns late of a shorter
    session would trust in the longer one meanwhile. So does one that works by a release before it
    was told anything: for its life that one counts (``admission``)."""
    heartbeat_interval_ms: Millis | None = None
    revocation_timeout_ms: Millis | None = None
    revocation_timeout_ms_max: Millis | None = None
    """As the session's."""
    eager_grace_ms: Millis | None = None
    compat: Compat | None = None
    share_number: int | None = None
    on_twin: TwinRule | None = None
    on_twin_instance: TwinRule | None = None
    assignment_interval_ms: Millis | None = None
    blast_percent: int | None = None
    blast_members: int | None = None
    blast_hold_ms: Millis | None = None
    flap_half_life_ms: Millis | None = None
    flap_limit: int | None = None
    route_damping_ms: Millis | None = None
    route_share_percent: int | None = None

    def own(self) -> dict[str, int | str]:
        """Return what is not the controller's, as plain values."""
        return {
            name: str(value) if isinstance(value, StrEnum) else value
            for name, value in asdict(self).items()
            if value is not None
        }

    def over(self, policy: Policy) -> Policy:
        """Return the policy of a group that has these.

        Raises:
            ValueError: They contradict each other, or the controller's.
        """
        if self.on_twin is not None and TwinRule.SEPARATE in (self.on_twin, policy.on_twin):
            raise ValueError("on_twin cannot be separate for one group: names are the controller's")
        own = {name: value for name, value in asdict(self).items() if value is not None}
        auto = policy.heartbeat_auto and self.heartbeat_interval_ms is None
        return replace(policy, **own, heartbeat_auto=auto)


NONE = Overrides()


@dataclass(frozen=True, slots=True)
class Settings:
    """What a group's summary says that operators have set for it."""

    paused: bool = False
    pause_ends: Millis | None = None
    strategy: str | None = None
    overrides: Overrides = NONE
    popped: tuple[TopicName, ...] = ()
    """Of the topics that somebody subscribes."""

    def __bool__(self) -> bool:
        """Tell whether anything is set."""
        return self != NOTHING_SET


NOTHING_SET = Settings()


@lru_cache(maxsize=256)
def effective(policy: Policy, overrides: Overrides, pace_ms: Millis) -> Policy:
    """Return a group's policy, without those overrides that contradict the controller's by now.

    Its members beat no more often than the pace says, where the policy lets them.
    """
    try:
        return overrides.over(policy).at_pace(pace_ms)
    except ValueError:
        return _fitting(policy, overrides).at_pace(pace_ms)


def _fitting(policy: Policy, overrides: Overrides) -> Policy:
    """Return the policy with each override that fits it; one may fit only after another."""
    left = {name: value for name, value in asdict(overrides).items() if value is not None}
    while left:
        before = policy
        for name, value in list(left.items()):
            try:
                policy = replace(NONE, **{name: value}).over(policy)
            except ValueError:
                continue
            del left[name]
        if policy == before:
            break
    return policy
