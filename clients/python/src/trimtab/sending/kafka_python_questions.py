"""What kafka-python knows of a cluster: what it calls itself, and who leads.

Asked by the keeper, through ``kafka_python``. Its one rule: each question has an answer, or a
TransportError, within seconds, and leaves nothing behind.
"""

from contextlib import closing
from typing import Any, Final

from kafka import TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError

from trimtab.errors import TransportError
from trimtab.sending.contract import Place
from trimtab.sending.dispatch import Leaders, broker_name
from trimtab.sending.kafka_python_link import connecting, way_of
from trimtab.transports.kafka_python_connecting import admin

_LEADERS_MS: Final = 2_000
"""For an answer about a topic; it is asked for again soon."""


def cluster_id(place: Place) -> str:
    """Ask what Kafka calls itself."""
    try:
        with closing(admin(connecting(place), way_of(place))) as client:
            return str(client.describe_cluster()["cluster_id"])
    except KafkaError as error:
        raise TransportError(str(error)) from error


def leaders_of(topic: str, producer: Any) -> Leaders:  # noqa: ANN401 - it ships no types
    """Ask who leads a topic: what a producer knows, which it looks at again by itself."""
    cluster = producer._metadata  # noqa: SLF001 - it says nowhere else who leads
    answered_ms = cluster._last_successful_refresh_ms  # noqa: SLF001 - as above: when it has
    try:
        # `partitions_for` waits a minute for a topic that is not there, and verdicts with it.
        partitions = producer._wait_on_metadata(topic, _LEADERS_MS)  # noqa: SLF001 - as above
    except KafkaError as error:
        is_gone = isinstance(error, KafkaTimeoutError)
        if not is_gone or cluster._last_successful_refresh_ms == answered_ms:  # noqa: SLF001 - as above
            raise TransportError(str(error)) from error
        partitions = ()  # Kafka has answered, and names none
    leaders = [
        broker_name(cluster.leader_for_partition(TopicPartition(topic, number)))
        for number in range(max(partitions, default=-1) + 1)
    ]
    cluster.request_update()  # for the next look
    return Leaders(leaders, {str(it.node_id): f"{it.host}:{it.port}" for it in cluster.brokers()})
