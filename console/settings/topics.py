"""`[topics]`: how trimtab's own topics are made and checked.

Defaults are those of ``trimtab.protocol.topics``, which knows why each topic is kept as long as it
is.
"""

from datetime import timedelta
from typing import Any, Self

from pydantic import Field, model_validator

from console.settings.section import Section
from console.settings.units import Duration
from trimtab.protocol import topics
from trimtab.protocol.topics import Topic


def _kept(topic: Topic[Any]) -> timedelta:
    assert topic.retention_ms is not None, f"{topic.name} is compacted"
    return timedelta(milliseconds=topic.retention_ms)


class RetentionSettings(Section):
    """How long records stay on the topics that are not compacted.

    Topics that exist are not altered: `trimtab topics check` prints the commands that do it. Type
    these first, because the controller does not start on a topic with another retention.
    """

    members: Duration = _kept(topics.MEMBERS)
    """Joins and leaves. A controller that was away for longer continues from what is published: it
    learns of new members by their repeated joins, and of lost ones after a session."""

    heartbeats: Duration = _kept(topics.HEARTBEATS)
    """Beats and ticks, the bulk of all records. Only for looking back; a controller that was away
    for longer starts from what is left."""

    releases: Duration = _kept(topics.RELEASES)
    """Releases of queues. Heirs read them within milliseconds; a controller that was away reads in
    them who has what by now, so they are kept at least as long as ``members``."""

    routes: Duration = _kept(topics.ROUTES)
    """The queues of each topic; the last known are kept in the controller's state as well."""

    latency: Duration = _kept(topics.LATENCY)
    """Producers' reports; verdicts look back minutes. Every three hours the controller writes here
    which brokers each topic has; `brokers … --dry-run` reads that."""

    commands: Duration = _kept(topics.COMMANDS)
    """Operators' commands, with who gave them and why: an audit trail. A controller that begins
    with a new checkpoint reads in them which brokers are out of use by command."""

    rocketmq: Duration = _kept(topics.ROCKETMQ)
    """Heartbeats of RocketMQ's own clients, which say everything again every 30 s."""

    history: Duration = _kept(topics.HISTORY)
    """Every rebalance and verdict with its cause: how far back a question can reach."""

    deadletters: Duration = _kept(topics.DEADLETTERS)
    """Records that could not be used: how long they can be looked at."""

    @model_validator(mode="after")
    def _is_told_who_has_what(self) -> Self:
        if self.releases < self.members:
            raise ValueError(
                "releases must be kept at least as long as members: a controller that was away "
                "reads both"
            )
        return self


class TopicSettings(Section):
    """Names, partitions and retention of trimtab's topics."""

    prefix: str = Field(default=topics.DEFAULT_PREFIX, pattern=r"^[A-Za-z0-9._-]{1,100}$")
    """The start of all topic names. Two controllers on one Kafka need two prefixes; give members
    and producers the same one."""

    partitions: int = Field(default=topics.DEFAULT_PARTITIONS, ge=1, le=1000)
    """Partitions of each topic. 8 will do: for more cores controller.cells_per_partition makes more
    cells, later too. Do not change it while groups use the topics, because they would move to other
    partitions. For more, stop all members and start again under another prefix, where tokens begin
    anew."""

    replication_factor: int = Field(default=1, ge=1, le=15)
    """Copies of each record: 1 on the embedded broker, 3 on a cluster. With fewer, the loss of one
    broker loses who owns what."""

    retention: RetentionSettings = RetentionSettings()
