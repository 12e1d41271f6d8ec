"""Causes: why something was decided.

"Why did this rebalance happen?" is the most frequent question of users. So every decision has a
cause: the kind of event, the member or topic it concerns, and its place in the log.

Made by the two machines, carried by every decision, shown to people unchanged. Its one rule: a
cause names a record of the log, never a guess.
"""

from dataclasses import dataclass
from enum import StrEnum

from rebalance.ids import Position


class CauseKind(StrEnum):
    """What set a decision off."""

    JOIN = "join"
    REJOIN = "rejoin"
    SUBSCRIPTION = "subscription"
    DRAIN = "drain"
    LEAVE = "leave"
    EXPIRY = "expiry"
    FENCE = "fence"
    ROUTE = "route"
    COMMAND = "command"
    CLAIM = "claim"
    REST = "rest"
    """A member that came and went too often has been calm for long enough."""
    ADOPTION = "adoption"
    """More was found published than the controller remembered."""
    AILMENT = "ailment"
    """The strategy, or the step, has failed, or has succeeded again."""
    SETTINGS = "settings"
    """The controller was started with other settings than those that decided last."""


@dataclass(frozen=True, slots=True)
class Cause:
    """The event behind a decision."""

    kind: CauseKind
    subject: str
    """The member or the topic concerned."""
    position: Position
    """The record that set it off; for an expiry, the record that proved the silence."""
    detail: str = ""
