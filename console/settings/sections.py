"""The sections for what surrounds the brain: Kafka, the controller, routes, Spark, the log.

One class a table of the settings file. Each becomes a part of ``streaming.options`` in
``console.wiring``; what a value costs is said below it.
"""

from datetime import timedelta
from typing import Literal

from pydantic import Field

from console.settings.section import Options, Section
from console.settings.units import Duration, Size


class KafkaSettings(Section):
    """Where Kafka is and how to talk to it."""

    bootstrap_servers: str | None = Field(default=None, min_length=1)
    """Host and port of one or more brokers, separated by commas. Unset, trimtab starts a broker of
    its own on loopback: for a first look and for tests, not for anything that matters."""

    options: Options = Field(default_factory=dict)
    """Options of Kafka clients, such as "security.protocol", passed on untouched to Spark's Java
    client and to librdkafka. Names that only Java knows (sasl.jaas.config, trust and key stores)
    are kept from librdkafka, which refuses them; Java ignores what only librdkafka knows."""


class ControllerSettings(Section):
    """The rhythm of the controller and where it keeps its state."""

    name: str = Field(default="trimtab", min_length=1, max_length=255)
    """How this controller signs its ticks and log lines."""

    tick_interval: Duration = timedelta(seconds=1)
    """How often each heartbeat partition gets a tick, which is what drives expiry: a death is
    noticed up to this much later. Shorter costs a batch each."""

    max_clock_step: Duration = timedelta(seconds=2)
    """How much silence one record can prove. A gap in the log (Kafka down, no ticks), or a jump of
    a broker's clock, counts as at most this much. It must be no more than a fifth of
    policy.session_timeout_min; shorter than the tick would make time run slow."""

    cells_per_partition: int = Field(default=1, ge=1, le=64)
    """Into how many cells the groups of a partition are divided. More lets more cores work on
    many groups; each cell costs some milliseconds a batch. A checkpoint keeps the number that it
    was begun with: to change it, start once with `trimtab run --new-checkpoint`."""

    checkpoint: str = ""
    """Where Spark keeps the controller's state; unset, <home>/checkpoint. With a new place, or an
    old copy, groups go on from what is published and no queue moves; verdicts on brokers begin
    anew."""

    heartbeat_batch_interval: Duration = timedelta(seconds=1)
    """The longest that routine beats wait to be read together. Longer saves batches, and delays
    the notice of a death by as much. With a tick_interval it must not exceed max_clock_step: a
    join is read at once, and counts as younger than the beats read so far by that at most."""

    heartbeat_batch_rows: int = Field(default=100_000, ge=1)
    """Beats that need not wait any longer. A backlog is read in batches of at least this many."""

    fetch_wait: Duration = timedelta(milliseconds=20)
    """How long Kafka may hold a fetch when nothing is new. Spark starts a fetch per batch, so all
    of this is added to an idle controller's reaction; shorter costs requests."""

    ui_port: int = Field(default=4040, ge=0, le=65535)
    """The port of the Spark UI on loopback; 0 turns it off."""


class RouteSettings(Section):
    """How the queues of topics are found."""

    poll_interval: Duration = timedelta(seconds=1)
    """How often Kafka is asked for the partitions of the topics in use: the growth of a topic
    reaches its groups this much later."""

    file: str | None = None
    """A YAML file with routes that no Kafka knows: topic -> brokers and queue counts. Read again
    when it changes."""


class SparkSettings(Section):
    """The Spark that the controller runs in."""

    master: str = "local[2]"
    """Where Spark runs. local[N] is N threads of this machine, in this process."""

    driver_memory: Size = 1024**3
    """Heap of the driver, which in local mode is all of Spark: state, batches and shuffles."""

    options: Options = Field(default_factory=dict)
    """Further Spark options, passed on untouched; they win over trimtab's own."""


class LogSettings(Section):
    """What trimtab says while it runs, on stderr."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important lines to show."""

    format: Literal["console", "json"] = "console"
    """console is for people, json for collectors: one object a line."""
