"""`[topics]`: how trimtab's own topics are made and checked.

Defaults are those of ``trimtab.protocol.topics``, which knows why each topic is kept as long as it
is.
"""

from datetime import timedelta
from typing import Any

from pydantic import Field

from console.settings.section import Section
from console.settings.units import Duration
from trimtab.protocol import topics
from trimtab.protocol.topics import Topic


def _kept(topic: Topic[Any]) -> timedelta:
    assert topic.retention_ms is not None, f"{topic.name} is compacted"
    return timedelta(milliseconds=topic.retention_ms)


class RetentionSettings(Section):
    """How long records stay on the topics that are not compacted."""

    members: Duration = _kept(topics.MEMBERS)
    """Joins and leaves. A controller that was away for longer goes on from what is published: who
    joined meanwhile is known by the next join, who left is missed after a session."""

    heartbeats: Duration = _kept(topics.HEARTBEATS)
    """Beats and ticks, the bulk of all records. Only for looking back; a controller that was away
    for longer starts from what is left."""

    releases: Duration = _kept(topics.RELEASES)
    """Hand-overs in flight. Heirs read them within milliseconds; the rest is for looking back."""

    routes: Duration = _kept(topics.ROUTES)
    """The queues of each topic; the last known are kept in the controller's state as well."""

    latency: Duration = _kept(topics.LATENCY)
    """Producers' reports; verdicts look back minutes."""

    commands: Duration = _kept(topics.COMMANDS)
    """Who ordered what, and why: an audit trail."""

    rocketmq: Duration = _kept(topics.ROCKETMQ)
    """Heartbeats of RocketMQ's own clients, which say everything again every 30 s."""

    history: Duration = _kept(topics.HISTORY)
    """Every rebalance and verdict with its cause: how far back a question can reach."""

    deadletters: Duration = _kept(topics.DEADLETTERS)
    """Records that could not be read: how long somebody has to come and look."""


class TopicSettings(Section):
    """Names, partitions and retention of trimtab's topics."""

    prefix: str = Field(default=topics.DEFAULT_PREFIX, pattern=r"^[A-Za-z0-9._-]{1,100}$")
    """What all topic names begin with. Two controllers on one cluster need two prefixes; members
    and producers must be told the same one."""

    partitions: int = Field(default=topics.DEFAULT_PARTITIONS, ge=1, le=1000)
    """Partitions of each topic, and so the most cores that can work on groups at once. It cannot
    be changed while groups live there: their partition would be another one. For more, stop all
    members and begin anew under another prefix."""

    replication_factor: int = Field(default=1, ge=1, le=15)
    """Copies of each record. 1 is for the embedded broker; 3 on a cluster, or the loss of one
    broker loses who owns what."""

    retention: RetentionSettings = RetentionSettings()
