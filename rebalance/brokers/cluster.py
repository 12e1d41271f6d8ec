"""The state of a cluster: what the jury remembers between two batches. A value, never changed.

For a reporter: its calls in the present sweep, and its failures in a row. For a broker: its
address, how fast it used to be, how often it was out, and whether it is. The policy bounds all of
it. Used by every module here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rebalance.brokers.decisions import VerdictIssued
from rebalance.brokers.events import ClusterName, ReporterId, Sight
from rebalance.ids import BrokerName, Incarnation, Millis, TopicName
from trimtab.faults import FaultItem


class Calls(NamedTuple):
    """One reporter's calls to one broker in one sweep."""

    made: int = 0
    """All of them."""
    errors: int = 0
    """Those that failed."""
    latency_sum: float = 0.0
    """The sum of the windows' medians, each weighted by its successful calls."""
    address: str = ""
    """Where the reporter found the broker; empty: it did not say."""

    @property
    def successes(self) -> int:
        """Calls that came back."""
        return self.made - self.errors

    @property
    def latency_ms(self) -> float | None:
        """The typical latency; None when nothing came back."""
        return self.latency_sum / self.successes if self.successes else None

    def plus(self, sight: Sight) -> "Calls":
        """Add a window up."""
        came = sight.made - sight.errors
        return Calls(
            self.made + sight.made,
            self.errors + sight.errors,
            self.latency_sum + sight.latency_ms * came if came else self.latency_sum,
            sight.address or self.address,
        )


class Streak(NamedTuple):
    """Failures in a row, and when the last of them was heard of."""

    failures: int
    """Calls, up to the last one."""
    at: Millis
    """On the log clock."""


@dataclass(frozen=True, slots=True)
class Reporter:
    """One producer that reports."""

    heard: Millis
    """When it last reported, on the log clock."""
    incarnation: Incarnation | None = None
    """Which of its lives that was; None: it did not say."""
    sequence: int | None = None
    """The number of its last report, so that none counts twice; None: it had none."""
    calls: Mapping[BrokerName, Calls] = field(default_factory=dict)
    """What it saw in this sweep."""
    streaks: Mapping[BrokerName, Streak] = field(default_factory=dict)
    """Brokers of which it has seen nothing but failures lately."""
    tests: Mapping[BrokerName, Calls] = field(default_factory=dict)
    """The calls late in the sweep to brokers that are out: only these show whether one is well
    *again*."""


class Out(NamedTuple):
    """An ejection: the broker is out of use."""

    detector: str
    """What found the fault."""
    reason: str
    """What it found, for people."""
    since_ms: Millis
    until_ms: Millis
    """Both as published: the broker's clock when it was said."""
    tested_from: Millis
    """On the log clock: from here on testers try it, and it may return early."""
    until: Millis
    """On the log clock: then it returns, unless it is ejected again."""
    testers: tuple[ReporterId, ...] = ()
    """Who is to try it in this sweep (``ejections``)."""
    voters: tuple[ReporterId, ...] = ()
    """Some of those on whose word it is out."""
    callers: tuple[ReporterId, ...] = ()
    """Some of those that sent to it at last, whatever they said of it."""

    @property
    def by_time_alone(self) -> bool:
        """Whether its time alone ends it, and no reporter tests it (``rocketmq_table``)."""
        return self.tested_from >= self.until


class Spared(NamedTuple):
    """An ejection that was not carried out, because a limit forbids it."""

    detector: str
    """What found the fault."""
    reason: str
    """What it found, for people."""
    limit: str
    """What forbids it (``limits``)."""
    voters: tuple[ReporterId, ...] = ()
    """Some of those on whose word it would be out."""


@dataclass(frozen=True, slots=True)
class Broker:
    """One broker and its record."""

    heard: Millis
    """When reports last named it, or it became known, on the log clock."""
    calm: Millis
    """Since when it is fit, or its count of ejections last fell."""
    address: str = ""
    """Where its reporters find it."""
    place: str = ""
    """Where the host watcher sees it. The two may be written differently: neither is compared with
    the other, and either one that changes means another broker (E10)."""
    past: tuple[float, ...] = ()
    """Medians of past sweeps, oldest first; only of sweeps in which it was fit."""
    ejections: int = 0
    """How often it was out lately: each time is longer. It falls while the broker is fit."""
    out: Out | None = None
    """Its ejection by the jury, also while a limit spares it; None: it has none."""
    shadow: str | None = None
    """The detector on trial that would take it out."""
    spared: Spared | None = None
    """What it would be out for, and is not, as of the last sweep."""
    reports: int = 0
    errors: int = 0
    """In the last sweep: how many reporters saw it, and how many of their calls failed."""
    elsewhere: tuple[str, ...] = ()
    """Where else some found it when it was last in use (``sweep``)."""


class StandingCommand(NamedTuple):
    """What an operator wants; it wins over the detectors until it lapses."""

    available: bool
    """Whether the broker is to be in use."""
    reason: str
    """As the operator gave it."""
    since_ms: Millis
    """When it was given, as published."""
    until_ms: Millis | None
    """When it lapses, as published; None: never."""
    until: Millis | None
    """The same on the log clock, which is later if the controller was away (``obeying``)."""
    heard: Millis = Millis(0)
    """When the broker was last heard of before it was ejected, on the log clock (``limits``)."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """All there is to know."""

    name: ClusterName
    """Under which its records are keyed."""
    now: Millis = Millis(0)
    """The log clock as last heard. Invariant: it never goes back."""
    swept: Millis = Millis(0)
    """The broker's clock when the last sweep ended."""
    sweep_ends: Millis | None = None
    """When the votes of this sweep are counted, on the log clock (``step``); None: nothing is known
    that could be judged."""
    panic_until: Millis = Millis(-1)
    """Until when health is ignored (``sweep``)."""
    reporters: Mapping[ReporterId, Reporter] = field(default_factory=dict)
    """Who reports, and what it has said in this sweep (``ballots``); ``sweep`` lets go of those
    that are silent."""
    brokers: Mapping[BrokerName, Broker] = field(default_factory=dict)
    """Every broker that enough reporters, a topic or a command have named."""
    commands: Mapping[BrokerName, StandingCommand] = field(default_factory=dict)
    """What operators want of brokers (``obeying``). Invariant: each of a broker that is known."""
    topics: Mapping[TopicName, frozenset[BrokerName]] = field(default_factory=dict)
    """Which brokers each topic has, as the host watcher says (``obeying``)."""
    leases: Mapping[TopicName, Millis] = field(default_factory=dict)
    """Until when a topic is believed in, on the log clock; a record says when the others end.
    Invariant: each of a topic that is known."""
    items: Mapping[BrokerName, FaultItem] = field(default_factory=dict)
    """RocketMQ's table, where it is the one that judges; its times are those of the log clock.
    Invariant: each of a broker that is known."""
    told: Mapping[BrokerName, VerdictIssued] = field(default_factory=dict)
    """What was last published, and so what readers believe."""
    renewed: Millis = Millis(0)
    """When everything was last said again."""

    @property
    def deadline(self) -> Millis | None:
        """Before the clock reads this, time alone decides nothing; None: it never does."""
        if self.sweep_ends is None:
            return None
        lapses = [command.until for command in self.commands.values() if command.until is not None]
        outs = (broker.out for broker in self.brokers.values())
        ends = [out.until for out in outs if out is not None and out.by_time_alone]
        return min([self.sweep_ends, *lapses, *ends])
