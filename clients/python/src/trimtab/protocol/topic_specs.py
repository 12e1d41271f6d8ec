"""How each topic must exist on a cluster: partitions, replicas and what Kafka is told to do.

Every topic is stamped by the broker (LogAppendTime), since time is log time. `trimtab topics init`
creates them so, and `check` compares.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trimtab.protocol import limits
from trimtab.protocol.topics import (
    DEFAULT_PARTITIONS,
    DEFAULT_PREFIX,
    TOPICS,
    Topic,
)

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS


@dataclass(frozen=True, slots=True)
class TopicSpec:
    """A topic as it must exist on a cluster: what `topics init` creates and `check` compares."""

    name: str
    partitions: int
    replication: int
    config: Mapping[str, str]
    topic: Topic[Any]


def topic_specs(
    prefix: str = DEFAULT_PREFIX, partitions: int = DEFAULT_PARTITIONS, replication: int = 1
) -> tuple[TopicSpec, ...]:
    """Every topic under a prefix.

    All have the same number of partitions: those partitioned by group must, so that a group is in
    partition n of each of them; for the rest it saves a setting.
    """
    return tuple(
        TopicSpec(f"{prefix}{name}", partitions, replication, _config(topic), topic)
        for name, topic in TOPICS.items()
    )


def _config(topic: Topic[Any]) -> dict[str, str]:
    config = {
        "message.timestamp.type": "LogAppendTime",
        "max.message.bytes": str(topic.max_record_bytes + limits.AROUND_BYTES),
        # That limit is on what is stored. Four kilobytes of zstd may be 150 MB: librdkafka cannot
        # read on, in any member, until Kafka deletes them, and Spark's JVM ends.
        "compression.type": "uncompressed",
    }
    if topic.retention_ms is not None:
        return config | {"cleanup.policy": "delete", **kept_for(topic.retention_ms)}
    return config | {
        "cleanup.policy": "compact",
        # A reader that bootstraps slower than this could miss a tombstone; Kafka's default.
        "delete.retention.ms": str(_DAY_MS),
        # The active segment is never compacted: roll it, or old assignments pile up for a week.
        "segment.ms": str(_HOUR_MS),
        "min.cleanable.dirty.ratio": "0.1",
    }


def kept_for(retention_ms: int) -> dict[str, str]:
    """What has Kafka delete what is older.

    It deletes whole segments, and never the active one, which it would roll after a week or 1 GiB:
    of a quiet topic with an hour's retention a week would stay.
    """
    rolled_ms = min(retention_ms // 4, _DAY_MS)
    return {"retention.ms": str(retention_ms), "segment.ms": str(rolled_ms)}
