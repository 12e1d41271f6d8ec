"""Why something was decided: the event that led to it and where in the log it stands.

"Why did this rebalance happen?" is the question people ask most, so every decision's record has one
of these. Part of the records on `assignments`, `groups` and `history`. It points to a record that
can be looked up, and new kinds may appear in any version.
"""

from typing import Final

from pydantic import Field

from trimtab.protocol.names import Label, Text, Token, TopicName
from trimtab.protocol.quantities import Count, Partition
from trimtab.protocol.record import Part

CAUSES: Final = (
    "join",
    "leave",
    "drain",
    "expiry",
    "fence",
    "rejoin",
    "subscription",
    "route",
    "release",
    "command",
    "rest",
    "claim",
    "adoption",
    "ailment",
    "settings",
)
"""The kinds known today; `release` is reserved. A cause explains and commands nothing, so readers
accept others too."""


class Cause(Part):
    """The cause of a decision. `subject` is whom it is about: a member, a topic, an operator."""

    kind: Token = Field(description=f"One of: {', '.join(CAUSES)}; more may come.")
    subject: Label | None = None
    topic: TopicName | None = Field(default=None, description="Where the event stands in the log.")
    partition: Partition | None = None
    offset: Count | None = None
    detail: Text | None = None
