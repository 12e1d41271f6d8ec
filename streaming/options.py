"""Everything the job needs to know, as one frozen value.

The composition root (``console``) makes it from the settings; below it nothing reads a file, an
environment variable or a clock to find out what to do. Times are in milliseconds, sizes in bytes,
and every default is decided in the settings, so that it is stated there once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class KafkaOptions:
    """Where Kafka is, and what its two kinds of clients are told beyond that."""

    bootstrap_servers: str
    java: Mapping[str, str]
    """For Spark's client."""
    native: Mapping[str, str]
    """For librdkafka, which the feeds use."""

    def client(self) -> dict[str, str | int | float | bool | None]:
        """Return what every librdkafka client of ours starts from."""
        servers = {"bootstrap.servers": self.bootstrap_servers}
        # A tick to a topic that was just deleted would make it anew, with the broker's defaults.
        return {**self.native, **servers, "allow.auto.create.topics": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicOptions:
    """Where this controller's own topics are."""

    prefix: str
    partitions: int
    """How many each of them has; `trimtab topics check` has made sure of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions:
    """The rhythm and the shape of the streaming query."""

    checkpoint: str
    """A local path, or a URL of another file system that Hadoop knows."""
    cells_per_partition: int
    routine_interval_ms: int
    """The longest that beats wait to be read together."""
    routine_rows: int
    """As many beats need not wait."""
    fetch_wait_ms: int
    """How long Kafka may hold a fetch when nothing is new."""
    stuck_ms: int = 0
    """How long no batch may be committed while Kafka takes ticks; 0: for ever."""
    new_checkpoint: bool = False
    """Begin a new one, and keep what is there beside it."""
    standby: bool = False
    """Wait until another controller is gone."""
    takes_over: bool = False
    """Replace another controller that is at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedOptions:
    """What the driver adds to the log by itself: ticks, routes and hosts."""

    tick_interval_ms: int
    route_poll_interval_ms: int
    route_file: Path | None
    name_servers: tuple[tuple[tuple[str, int], ...], ...]
    """Of each cluster of RocketMQ's, host and port of each."""
    racks: bool
    """Whether groups are told where replicas of Kafka's partitions stand."""
    cluster: str | None
    """What producers call this Kafka; None: what it calls itself."""
    heartbeat_budget: int
    """How many beats a second members may send that beat as rarely as the controller asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkOptions:
    """The Spark underneath."""

    master: str
    driver_host: str | None
    """Under which a cluster's workers reach this process; None: there is no cluster."""
    worker_python: str
    """A cluster's."""
    driver_memory_bytes: int
    jars: Path
    """The directory of the Kafka connector."""
    ui_address: str
    ui_port: int
    """0 turns the UI off."""
    further: Mapping[str, str]
    """Passed on untouched; they win over ours, or are added to them (``session``)."""

    @property
    def is_here(self) -> bool:
        """Whether Spark runs in one process on this machine."""
        return self.master.startswith("local")


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointOptions:
    """Where probes and Prometheus ask."""

    address: str
    port: int
    """0: nowhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisOptions:
    """Where assignments are written as well."""

    url: str
    expire_ms: int
    """After so long without a renewal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One controller."""

    name: str
    """How it signs its ticks and log lines."""
    home: Path
    """Where it keeps its files. One controller a home."""
    policy: Policy
    verdicts: VerdictPolicy
    kafka: KafkaOptions
    topics: TopicOptions
    query: QueryOptions
    feeds: FeedOptions
    spark: SparkOptions
    endpoint: EndpointOptions
    redis: RedisOptions | None = None
    """None: nowhere."""

    @property
    def rhythm_ms(self) -> int:
        """How far apart batches are when no member joins or goes."""
        return max(self.feeds.tick_interval_ms, self.query.routine_interval_ms)
