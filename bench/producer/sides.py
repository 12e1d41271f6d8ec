"""The two sides, for each client library: the bare client, and ours on top of the same client.

Each is written the way its users would write it: the bare confluent-kafka program polls after each
message, as its documentation has it. No side calls a function more than that, for at two
microseconds a message that would be the measurement.

Made by ``__main__``. Both sides have the same options, messages and callback: neither client is
idempotent, as ours is not for messages without a key, and both wait for all replicas.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep
from typing import Final

import confluent_kafka
import kafka

from bench.producer.contest import Heard, Side
from trimtab import Producer
from trimtab.transports import Client

TOPIC: Final = "messages"
VALUE: Final = b"m" * 200
LINGER_MS: Final = 5
"""librdkafka's default; kafka-python's is none, and nobody sends streams by it like that."""
_PATIENCE_S: Final = 30.0


class BareConfluent:
    """confluent-kafka as its documentation has it."""

    def __init__(self, servers: str) -> None:
        self._client = confluent_kafka.Producer(
            {"bootstrap.servers": servers, "linger.ms": LINGER_MS}
        )

    def send(self, count: int, heard: Heard | None, pause_s: float) -> None:
        """Produce, poll, and flush at the end."""
        client = self._client
        for _ in range(count):
            if heard is None:
                client.produce(TOPIC, value=VALUE)
            else:
                client.produce(TOPIC, value=VALUE, on_delivery=heard)
            client.poll(0)
            if pause_s:
                sleep(pause_s)
        assert client.flush(_PATIENCE_S) == 0


class BareKafkaPython:
    """kafka-python; its callbacks get no error."""

    def __init__(self, servers: str) -> None:
        self._client = kafka.KafkaProducer(
            bootstrap_servers=servers, linger_ms=LINGER_MS, enable_idempotence=False, acks="all"
        )

    def send(self, count: int, heard: Heard | None, pause_s: float) -> None:
        """Send, and flush at the end."""
        client = self._client
        for _ in range(count):
            future = client.send(TOPIC, VALUE)
            if heard is not None:
                future.add_callback(heard, None)
            if pause_s:
                sleep(pause_s)
        client.flush(_PATIENCE_S)


class Ours:
    """``trimtab.Producer``, reporting and following verdicts."""

    def __init__(self, producer: Producer) -> None:
        self._producer = producer

    def send(self, count: int, heard: Heard | None, pause_s: float) -> None:
        """Send, and flush at the end."""
        producer = self._producer
        for _ in range(count):
            if heard is None:
                producer.send(TOPIC, VALUE)
            else:
                producer.send(TOPIC, VALUE, on_delivery=heard)
            if pause_s:
                sleep(pause_s)
        assert producer.flush(_PATIENCE_S) == 0


@contextmanager
def sides(client: Client, servers: str) -> Iterator[tuple[Side, Side]]:
    """Make both sides with one library: bare, ours."""
    bare: Side = BareConfluent(servers) if client == "confluent" else BareKafkaPython(servers)
    linger = {"linger.ms": LINGER_MS}
    with Producer(servers, topics=[TOPIC], client=client, kafka=linger) as producer:
        yield bare, Ours(producer)
