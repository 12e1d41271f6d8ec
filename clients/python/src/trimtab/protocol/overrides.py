"""Overrides: the settings of `[policy]` that one group has of its own, by an operator's command.

A field that is absent is the controller's. They come all at once, in a command and in the group's
summary, so no reader needs the earlier ones. The names are those of the settings, with the unit.
"""

from typing import Literal

from pydantic import Field

from trimtab.protocol.quantities import Count, Duration, ShareNumber, Timeout
from trimtab.protocol.record import Part

_FROM_THE_NEXT_JOIN = "Counts for members that join from then on."


class Overrides(Part):
    """Rules of a group's own."""

    session_timeout_ms: Timeout | None = Field(default=None, description=_FROM_THE_NEXT_JOIN)
    session_timeout_ms_min: Timeout | None = Field(default=None, description=_FROM_THE_NEXT_JOIN)
    session_timeout_ms_max: Timeout | None = Field(default=None, description=_FROM_THE_NEXT_JOIN)
    heartbeat_interval_ms: Timeout | None = None
    revocation_timeout_ms: Timeout | None = Field(default=None, description=_FROM_THE_NEXT_JOIN)
    revocation_timeout_ms_max: Timeout | None = Field(default=None, description=_FROM_THE_NEXT_JOIN)
    eager_grace_ms: Duration | None = None
    compat: Literal["none", "rocketmq"] | None = None
    share_number: ShareNumber | None = None
    on_twin: Literal["fence-older", "refuse-newer"] | None = None
    on_twin_instance: Literal["fence-older", "refuse-newer", "separate", "hand-over"] | None = None
    assignment_interval_ms: Duration | None = None
    blast_percent: Count | None = None
    blast_members: Count | None = None
    blast_hold_ms: Duration | None = None
    flap_half_life_ms: Duration | None = None
    flap_limit: Count | None = None
    route_damping_ms: Duration | None = None
    route_share_percent: Count | None = None
