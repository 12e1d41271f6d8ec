"""Topic `latency`, keyed by cluster: what producers saw of the brokers.

Either a report, a window of sends summed up per broker, or a single sample as RocketMQ's clients
take them; beside these, which brokers a topic has, so that none loses its last one. Written by
producers and host watchers, judged by the controller. On Kafka a broker's name is its id in
digits, and the cluster's name is the id that Kafka gave itself, unless all agreed on another.

Its one rule: figures are finite and not negative: one NaN would poison every mean it enters.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from trimtab.protocol import limits
from trimtab.protocol.names import BrokerName, Incarnation, Label, TopicName
from trimtab.protocol.quantities import Count, Duration, Latency, Sequence
from trimtab.protocol.record import Part, Record, example


class BrokerLatency(Part):
    """One broker in one window. Latencies are of all `count` requests, failed ones too.

    If p50 <= p99 <= max or errors <= count does not hold, the whole report is refused. A p50 of 0
    counts for nothing, unless all have failed: no request takes no time.
    """

    broker: BrokerName
    count: Count = Field(description="Requests that ended in the window.")
    errors: Count = Field(description="How many of them failed.")
    p50_ms: Latency
    p99_ms: Latency
    max_ms: Latency
    address: Label | None = Field(
        default=None,
        description="Where the reporter finds the broker. Another address is another broker: "
        "what was known under the name is forgotten.",
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.errors > self.count:
            raise PydanticCustomError("errors_exceed_count", "There are more errors than requests")
        if not self.p50_ms <= self.p99_ms <= self.max_ms:
            raise PydanticCustomError("unordered_latency", "p50 <= p99 <= max does not hold")
        return self


class Report(Record):
    """A producer's window, summed up per broker."""

    model_config = example(
        kind="report",
        reporter="checkout-7",
        incarnation="1767225600000-9f86d081",
        sequence=12,
        window_ms=5_000,
        brokers=[
            {
                "broker": "broker-a",
                "count": 812,
                "errors": 0,
                "p50_ms": 2.1,
                "p99_ms": 9.8,
                "max_ms": 31,
            }
        ],
    )

    kind: Literal["report"] = "report"
    reporter: Label
    incarnation: Incarnation = Field(
        description="One life of the reporter, named as a member's. One that begins more than a "
        "day ahead of the broker's clock makes the report a dead letter: of two lives the younger "
        "one is believed."
    )
    sequence: Sequence
    window_ms: Duration
    brokers: Annotated[
        tuple[BrokerLatency, ...], Field(max_length=limits.BROKERS_PER_REPORT, fail_fast=True)
    ]


class Sample(Record):
    """One request, as RocketMQ's `updateFaultItem` is told of it.

    One that did not fail took more than 0 ms, or it counts for nothing: say 0.5 for less than 1.
    """

    model_config = example(
        kind="sample", reporter="checkout-7", broker="broker-a", latency_ms=31, isolation=False
    )

    kind: Literal["sample"] = "sample"
    reporter: Label
    broker: BrokerName
    latency_ms: Latency
    isolation: bool = Field(description="The request failed: take the broker out of use.")
    reachable: bool = Field(
        default=True,
        description="Whether the broker answered. It decides nothing here: as in RocketMQ from 5.2 "
        "on, latency and isolation alone say whether a broker is available.",
    )


class Hosts(Record):
    """Which brokers a topic can be written to, as a host watcher sees it; none: it is gone."""

    model_config = example(
        kind="hosts", topic="orders", brokers=["1", "2"], addresses=["east-1:9092", "east-2:9092"]
    )

    kind: Literal["hosts"] = "hosts"
    topic: TopicName
    brokers: Annotated[
        tuple[BrokerName, ...], Field(max_length=limits.BROKERS_PER_REPORT, fail_fast=True)
    ]
    addresses: (
        Annotated[tuple[Label, ...], Field(max_length=limits.BROKERS_PER_REPORT, fail_fast=True)]
        | None
    ) = Field(
        default=None,
        description="Where each of them is, in the same order. Another address is another broker: "
        "what was known under the name is forgotten.",
    )
    lease_ms: Annotated[int, Field(ge=1, le=limits.LEASE_MS)] | None = Field(
        default=None,
        description="The topic is forgotten when this was not repeated for so long. Absent: it "
        "stands until it is replaced.",
    )

    @model_validator(mode="after")
    def _one_each(self) -> Self:
        if self.addresses is not None and len(self.addresses) != len(self.brokers):
            raise PydanticCustomError("uneven_addresses", "Not one address for each broker")
        return self


LatencyRecord = Report | Sample | Hosts
