"""The sections for what surrounds the brain: Kafka, the controller, routes, Spark, the log.

One class a table of the settings file. Each becomes a part of ``streaming.options`` in
``console.wiring``; what a value costs is said below it.
"""

from datetime import timedelta
from typing import Literal

from pydantic import Field, field_validator

from console.settings.places import Places
from console.settings.section import Options, Section
from console.settings.units import Duration, Size, Wait
from trimtab.protocol import limits
from trimtab.protocol.names import ANY


class KafkaSettings(Section):
    """Where Kafka is and how to talk to it."""

    bootstrap_servers: str | None = Field(default=None, min_length=1)
    """Host and port of one or more brokers, separated by commas. Unset, trimtab starts a broker of
    its own on loopback: for a first look and for tests, not for production."""

    options: Options = Field(default_factory=dict)
    """Options of Kafka clients, such as "security.protocol", for librdkafka and for Spark's Java
    client. Say sasl.username, sasl.password and ssl.ca.location: Java's words for them
    (sasl.jaas.config, ssl.truststore.*) are added, unless you give these. Names that only Java
    knows are not told to librdkafka, which would refuse them; Java ignores those that only
    librdkafka knows. For a certificate of the client's own, ssl.keystore.location with a PKCS12
    file is for both."""

    @field_validator("options")
    @classmethod
    def _say_nothing_else(cls, options: Options) -> Options:
        for name in ("bootstrap.servers", "metadata.broker.list"):
            if name in options:
                raise ValueError(f"{name} counts for nothing here: set kafka.bootstrap_servers")
        return options


class ControllerSettings(Section):
    """The controller's intervals, and where it keeps its state."""

    name: str = Field(
        default="trimtab", min_length=1, max_length=limits.NAME_CHARACTERS, pattern=ANY
    )
    """The controller's name in its ticks and log lines."""

    tick_interval: Duration = timedelta(seconds=1)
    """How often each heartbeat partition gets a tick. Ticks drive expiry, so a crash is noticed up
    to this much later. Each tick costs a batch."""

    max_clock_step: Duration = timedelta(seconds=2)
    """How much silence one record can prove. A gap in the log (Kafka down, no ticks), or a jump of
    a broker's clock, counts as at most this much. It must be at most a fifth of
    policy.session_timeout_min. If it is shorter than the tick interval, log time runs slow."""

    cells_per_partition: int = Field(default=1, ge=1, le=limits.CELLS_PER_PARTITION)
    """Into how many cells the groups of a partition are divided. More cores share the work of many
    groups if there is a cell for each, and a task: spark.options.spark.sql.shuffle.partitions. Each
    cell costs some milliseconds a batch. A checkpoint fixes both numbers: to change one, start once
    with `trimtab run --new-checkpoint`."""

    checkpoint: str = ""
    """Where Spark keeps the controller's state; unset, <home>/checkpoint. With an empty place or an
    old copy, groups continue from what is published and no queue moves; verdicts on brokers start
    again."""

    heartbeat_batch_interval: Duration = timedelta(seconds=1)
    """The longest that beats wait to be read together. A longer wait saves batches, and delays
    crash detection by the same time. Together with tick_interval it must not exceed max_clock_step:
    a join is read at once, and may be ahead of the beats by that much."""

    heartbeat_batch_rows: int = Field(default=100_000, ge=1)
    """With this many beats the batch starts without further waiting. A backlog is read in batches
    of at least this many."""

    fetch_wait: Duration = timedelta(milliseconds=1)
    """How long Kafka may delay the answer to a fetch when nothing is new. In each batch Spark asks
    for the ends of a partition behind a fetch that waits so long, and a broker answers one request
    of a connection at a time: with 20 ms the batch of a tick took 264 ms, with 1 ms 202. Nothing is
    fetched between batches, so a short wait costs few requests."""

    stuck_after: Wait = timedelta(minutes=10)
    """How long no batch may be committed, although Kafka takes the controller's ticks, before it
    ends with exit code 6, so that a supervisor starts it again; 0s: it never does. It must be
    longer than the longest batch, since one that is ended is repeated. The first batch may take
    five times as long."""

    ui_port: int = Field(default=4040, ge=0, le=65535)
    """The port of the Spark UI; 0 turns it off."""

    ui_address: str = Field(default="127.0.0.1", min_length=1)
    """Where the Spark UI listens. It has no password: anyone who reaches it reads names,
    settings (without secrets) and what runs (SECURITY.md)."""

    http_address: str = Field(default="127.0.0.1", min_length=1)
    """Where the controller answers /livez, /readyz and /metrics (docs/operate.md); "::" is on all
    addresses, of IPv4 as well. They show names of groups and brokers to anyone who reaches the
    address, and accept no commands."""

    http_port: int = Field(default=9404, ge=0, le=65535)
    """The port of these; 0 turns them off. One that is taken is an error, so that no probe ever
    asks another controller."""


class RouteSettings(Section):
    """How the queues of topics are found."""

    poll_interval: Duration = timedelta(seconds=1)
    """How often Kafka is asked for the partitions of the topics in use. New partitions reach their
    groups up to this much later."""

    file: str | None = None
    """A YAML file with queues that this Kafka does not know: topic -> brokers and queue counts. It
    is read again when it changes."""

    name_servers: Places | None = None
    """RocketMQ's name servers, as its clients are told them: host:port;host:port. They are asked
    for the queues of topics that are neither in the file nor in Kafka, each time that Kafka is.
    Commas separate several clusters; a topic is of the first one that has it."""

    racks: bool = False
    """Whether groups are told in which racks each partition of Kafka's has replicas, for STICKY's
    option `racks`. Then a partition that gets replicas elsewhere may move."""


class SparkSettings(Section):
    """The Spark that the controller runs in."""

    master: str = "local[2]"
    """Where Spark runs. local[N] is N threads of this machine, in this process; spark://host:7077
    is a cluster of Spark's own, whose workers are sent this code (docs/cluster.md)."""

    driver_host: str | None = None
    """The address under which a cluster's workers reach this process."""

    worker_python: str = "python3"
    """The Python of a cluster's workers: of this minor version, with pandas, pyarrow, msgspec and
    pydantic."""

    driver_memory: Size = 1024**3
    """Heap of the driver, which in local mode is all of Spark: state, batches and shuffles."""

    options: Options = Field(default_factory=dict)
    """Further Spark options, passed on untouched; they win over trimtab's own. Flags and class path
    of the driver's Java are added to its own; of two flags that differ Java takes the last."""


class RedisSettings(Section):
    """A Redis or Valkey where assignments are written as well, for clients that have no Kafka."""

    url: str | None = Field(default=None, pattern=r"^(rediss?|unix)://")
    """Where it is: redis://host:6379/0, rediss:// with TLS, or unix:///path; name and password
    before the host. Unset, nothing is written. Kafka's topics never wait for it
    (docs/following.md)."""

    expire_after: Duration = timedelta(hours=1)
    """How long a member's hash stays when no controller renews it. Everything is written again
    three times as often. Clients must not take a hash that is gone for a queue that is free."""


class LogSettings(Section):
    """What trimtab logs while it runs, on stderr."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level that is shown."""

    format: Literal["console", "json"] = "console"
    """console is for people, json for collectors: one object a line, and nothing else, once the
    options of the command are understood. `event` is what happened; the last one of a run that
    fails has `exit_code`, a traceback is `exception`."""
