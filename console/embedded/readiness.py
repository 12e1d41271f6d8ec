"""Wait until a broker answers: ready is what a client sees, not what a log says.

Used at start-up, and by `trimtab kafka status`, which asks only once.
"""

import time
from collections.abc import Callable

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

_ONE_TRY_S = 0.5


def answers(
    bootstrap_servers: str, cluster: str | None = None, within_s: float = _ONE_TRY_S
) -> bool:
    """Say whether a metadata call finds a live broker, of this cluster if one is named."""
    return _has_brokers(_client(bootstrap_servers), cluster, within_s)


def wait_until_ready(
    bootstrap_servers: str,
    *,
    alive: Callable[[], bool],
    timeout_s: float,
    cluster: str | None = None,
) -> bool:
    """Wait for the first answer; give up when the broker is not ``alive`` or time is over.

    Two that start at once may choose the same port. Then one of them ends, but until it does, the
    other's broker answers for it; its cluster has another id.
    """
    client = _client(bootstrap_servers)
    deadline = time.monotonic() + timeout_s
    while alive() and time.monotonic() < deadline:
        if _has_brokers(client, cluster, _ONE_TRY_S):
            return True
    return False


def _client(bootstrap_servers: str) -> AdminClient:
    return AdminClient(
        {
            "bootstrap.servers": bootstrap_servers,
            "log_level": 0,  # refused connections are what we wait through, not news
            "reconnect.backoff.ms": 50,
            "reconnect.backoff.max.ms": 200,  # its default of 10 s would be what we wait for
        }
    )


def _has_brokers(client: AdminClient, cluster: str | None, within_s: float) -> bool:
    try:
        found = client.list_topics(timeout=within_s)
    except KafkaException:
        return False
    return bool(found.brokers) and cluster in {None, found.cluster_id}
