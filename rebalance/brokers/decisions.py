"""What the jury decides: its only output. Each is complete in itself.

Made by ``publication``; ``streaming`` makes records of it.
"""

from dataclasses import dataclass

from rebalance.brokers.events import ClusterName, CommandRef, ReporterId
from rebalance.ids import BrokerName, Millis
from rebalance.stamp import Stamp


@dataclass(frozen=True, slots=True)
class VerdictIssued:
    """A broker's verdict: a new one, or a standing one said again."""

    cluster: ClusterName
    broker: BrokerName
    available: bool
    since_ms: Millis
    until_ms: Millis | None
    reason: str
    detector: str | None
    panic: bool
    testers: tuple[ReporterId, ...]
    shadow: str | None
    reports: int
    errors: int
    turned: bool = False
    """Whether it says something else of ``available`` or ``panic`` than the one before."""
    voters: tuple[ReporterId, ...] = ()
    """Some of the reporters on whose word it is, or should be, out."""


@dataclass(frozen=True, slots=True)
class VerdictTurned:
    """A verdict that is news, for the history: a panic leaves no trace in it of when it began."""

    verdict: VerdictIssued
    at: Millis
    """By the broker's clock."""


@dataclass(frozen=True, slots=True)
class VerdictWithdrawn:
    """Nothing is known of the broker any more: its record goes."""

    cluster: ClusterName
    broker: BrokerName


@dataclass(frozen=True, slots=True)
class ReportRefused:
    """A well-formed record that cannot be accepted; the shell returns it to the dead letters."""

    cluster: ClusterName
    stamp: Stamp
    detail: str


@dataclass(frozen=True, slots=True)
class BrokerCommandAnswered:
    """A command was obeyed, or why not."""

    cluster: ClusterName
    command: CommandRef
    stamp: Stamp
    done: bool
    detail: str


Said = VerdictIssued | VerdictTurned | VerdictWithdrawn
BrokerDecision = Said | ReportRefused | BrokerCommandAnswered
