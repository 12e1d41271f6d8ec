"""Topics for members to consume: made, made larger, and deleted."""

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    NewPartitions,
    NewTopic,
)


def create_topic(servers: str, name: str, partitions: int) -> None:
    """Create a topic and wait until it exists."""
    admin = _admin(servers)
    admin.create_topics([NewTopic(name, partitions, 1)])[name].result()


def grow_topic(servers: str, name: str, partitions: int) -> None:
    """Give a topic more partitions."""
    admin = _admin(servers)
    admin.create_partitions([NewPartitions(name, partitions)])[name].result()


def delete_topic(servers: str, name: str) -> None:
    """Delete a topic and wait until it is gone."""
    admin = _admin(servers)
    admin.delete_topics([name])[name].result()


def _admin(servers: str) -> AdminClient:
    return AdminClient({"bootstrap.servers": servers, "log_level": 2})
