"""Clusters, as version 1 named their fields.

Values that were arrays are the forms of version 2, which has kept their order. Used by ``cell``.
"""

from msgspec import Struct
from msgspec.structs import asdict

from rebalance.brokers.events import ClusterName, ReporterId
from rebalance.ids import BrokerName, Incarnation, Millis, TopicName
from streaming.cell.stored.brokers import (
    BrokerForm,
    CommandForm,
    ItemForm,
    OutForm,
    SparedForm,
    VerdictForm,
)
from streaming.cell.stored.cluster import CallsForm, ClusterForm, ReporterForm, StreakForm


class _Reporter(Struct):
    heard: Millis
    incarnation: Incarnation | None = None
    sequence: int | None = None
    calls: dict[BrokerName, CallsForm] = {}
    streaks: dict[BrokerName, StreakForm] = {}
    tests: dict[BrokerName, CallsForm] = {}


class _Broker(Struct):
    heard: Millis
    calm: Millis
    address: str = ""
    place: str = ""
    past: tuple[float, ...] = ()
    ejections: int = 0
    out: OutForm | None = None
    shadow: str | None = None
    spared: SparedForm | None = None
    reports: int = 0
    errors: int = 0


class _Item(Struct):
    broker: str
    current_latency: int = 0
    start_timestamp: int = 0
    check_stamp: int = 0
    reachable: bool = False


class _Verdict(Struct):
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


class Cluster(Struct):
    """A cluster."""

    name: ClusterName
    now: Millis = Millis(0)
    appended: Millis = Millis(0)
    sweep_ends: Millis | None = None
    panic_until: Millis = Millis(-1)
    reporters: dict[ReporterId, _Reporter] = {}
    brokers: dict[BrokerName, _Broker] = {}
    orders: dict[BrokerName, CommandForm] = {}
    topics: dict[TopicName, list[BrokerName]] = {}
    leases: dict[TopicName, Millis] = {}
    items: dict[BrokerName, _Item] = {}
    told: dict[BrokerName, _Verdict] = {}
    renewed: Millis = Millis(0)

    def form(self) -> ClusterForm:
        """Return it as version 2 stores it."""
        return ClusterForm(
            name=self.name,
            now=self.now,
            appended=self.appended,
            sweep_ends=self.sweep_ends,
            panic_until=self.panic_until,
            reporters={name: ReporterForm(**asdict(it)) for name, it in self.reporters.items()},
            brokers={name: BrokerForm(**asdict(it)) for name, it in self.brokers.items()},
            commands=self.orders,
            topics={name: sorted(it) for name, it in self.topics.items()},
            leases=self.leases,
            items={name: ItemForm(**asdict(it)) for name, it in self.items.items()},
            told={name: VerdictForm(**asdict(it)) for name, it in self.told.items()},
            renewed=self.renewed,
        )
