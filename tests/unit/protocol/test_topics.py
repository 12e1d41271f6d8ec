"""The table of topics, and what they must be configured to."""

from typing import Any

import pytest

from trimtab.protocol import (
    MEMBERS,
    TICK_KEY,
    TOPICS,
    Topic,
    kept_for,
    read_group_key,
    topic_specs,
)
from trimtab.protocol.reasons import UndecodableRecord

EVERY = pytest.mark.parametrize("topic", TOPICS.values(), ids=lambda topic: str(topic.name))


def config(topic: Topic[Any]) -> dict[str, str]:
    """What the topic must be configured to."""
    (spec,) = [spec for spec in topic_specs("p.", 4, 3) if spec.topic is topic]
    assert (f"p.{topic.name}", 4, 3) == (spec.name, spec.partitions, spec.replication)
    return dict(spec.config)


def test_there_are_thirteen() -> None:
    """One for each sentence of the design."""
    names = "members heartbeats releases routes latency commands rocketmq"
    names += " assignments groups brokers history deadletters controllers"

    assert names.split() == list(TOPICS)
    assert [f"trimtab.{name}" for name in TOPICS] == [spec.name for spec in topic_specs()]


@EVERY
def test_time_is_log_time(topic: Topic[Any]) -> None:
    """The broker stamps every record, whatever its sender believes the time to be."""
    assert "LogAppendTime" == config(topic)["message.timestamp.type"]


@EVERY
def test_the_largest_record_fits(topic: Topic[Any]) -> None:
    """With its key, its headers and Kafka's own around it."""
    assert topic.max_record_bytes + 10_000 < int(config(topic)["max.message.bytes"])


@EVERY
def test_a_topic_is_compacted_or_expires(topic: Topic[Any]) -> None:
    """Never both: a compacted topic that expires forgets who owns what."""
    compacted = topic.name in {"assignments", "groups", "brokers", "controllers"}

    assert ("compact" if compacted else "delete") == config(topic)["cleanup.policy"]
    assert compacted != ("retention.ms" in config(topic))
    assert compacted == topic.compacted


def test_what_belongs_to_a_group_is_in_its_partition() -> None:
    """Seven topics are partitioned by the group's name alone."""
    grouped = {name for name, topic in TOPICS.items() if topic.partitioned_by_group}

    expected = {"members", "heartbeats", "releases", "routes", "assignments", "groups"}
    assert expected | {"commands", "history"} == grouped


def test_no_group_can_have_the_key_of_the_ticks() -> None:
    """The controller's ticks are never taken for somebody's beats."""
    with pytest.raises(UndecodableRecord):
        read_group_key(TICK_KEY)


def test_a_topic_knows_its_kinds() -> None:
    """In the order in which they are documented."""
    assert ["join", "drain", "leave"] == list(MEMBERS.kinds)


@EVERY
def test_what_is_over_is_deleted_within_a_quarter_more(topic: Topic[Any]) -> None:
    """Kafka never deletes the active segment, and would not roll a quiet one for a week."""
    found = config(topic)
    if "retention.ms" in found:
        assert 0 < int(found["segment.ms"]) <= int(found["retention.ms"]) // 4


@pytest.mark.parametrize(("hours", "rolled"), [(1, "900000"), (96, "86400000"), (960, "86400000")])
def test_segments_are_rolled_in_time(hours: int, rolled: str) -> None:
    """A quarter of the retention, and a day at most."""
    assert rolled == kept_for(hours * 3_600_000)["segment.ms"]
