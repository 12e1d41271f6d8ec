"""Topics: for members to consume, made, made larger and deleted; and trimtab's own, made."""

from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    NewPartitions,
    NewTopic,
)

from trimtab.protocol import topic_specs

PARTITIONS = 2
"""Of trimtab's topics, of most controllers that tests start: each is a task of Spark's a batch."""


def create_topic(servers: str, name: str, partitions: int, **config: str) -> None:
    """Create a topic and wait until it exists; of its settings dots are underscores here."""
    admin = _admin(servers)
    settings = {key.replace("_", "."): value for key, value in config.items()}
    admin.create_topics([NewTopic(name, partitions, 1, config=settings)])[name].result()


def create_control_topics(servers: str, prefix: str, partitions: int) -> None:
    """Create trimtab's topics, as `trimtab topics init` would."""
    wanted = [
        NewTopic(it.name, it.partitions, it.replication, config=dict(it.config))
        for it in topic_specs(prefix, partitions)
    ]
    admin = _admin(servers)  # which must live until the answer is there
    for created in admin.create_topics(wanted).values():
        created.result()


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
