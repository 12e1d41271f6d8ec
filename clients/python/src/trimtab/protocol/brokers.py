"""Topic `brokers`, keyed by cluster/broker, compacted: is a broker fit for use?

The controller's verdict on each broker, from what producers reported. Written by the controller,
followed by the SDK's producers and by dashboards. Its one rule: a verdict that has lapsed
(`until_ms`) counts as "available", so a silent controller never keeps a broker out of use.
"""

from typing import Literal

from pydantic import Field

from trimtab.protocol import limits
from trimtab.protocol.names import BrokerName, ClusterName, Label, Text, Token
from trimtab.protocol.quantities import Count, Timestamp
from trimtab.protocol.record import Record, example


class Verdict(Record):
    """The verdict on a broker, from `since_ms` on and no longer than `until_ms`."""

    model_config = example(
        kind="verdict",
        cluster="east",
        broker="broker-a",
        available=False,
        since_ms=1_767_225_600_000,
        until_ms=1_767_225_630_000,
        reason="p99 1,240 ms, 31 times the median of its peers",
        panic=False,
        reports=14,
        errors=3,
        voters=["orders-app-1", "orders-app-2"],
    )

    kind: Literal["verdict"] = "verdict"
    cluster: ClusterName
    broker: BrokerName
    available: bool
    since_ms: Timestamp
    until_ms: Timestamp | None = Field(
        default=None, description="The verdict lapses then; absent: it stands until replaced."
    )
    reason: Text
    panic: bool = Field(
        description="Too few brokers are left to spare one: all count as available."
    )
    reports: Count
    errors: Count
    detector: Token | None = Field(
        default=None,
        description="What took the broker out of use: failures, errors, latency, drift, operator.",
    )
    testers: tuple[Label, ...] | None = Field(
        default=None,
        max_length=limits.TESTERS,
        description="The few reporters that use the broker now and then all the same, so that its "
        "recovery is seen.",
    )
    voters: tuple[Label, ...] | None = Field(
        default=None,
        max_length=limits.VOTERS,
        description="The first few reporters on whose word the broker is, or should be, out of "
        "use; `reason` says how many there were.",
    )
    shadow: Token | None = Field(
        default=None,
        description="A detector on trial that would take the broker out of use. It does not.",
    )
    at_ms: Timestamp | None = Field(
        default=None,
        description="In `history` alone: when `available` or `panic` became so.",
    )
