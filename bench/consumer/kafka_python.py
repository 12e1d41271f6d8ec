"""The same two sides over kafka-python: its own loop, and ours.

Apart from `sides`, so that who measures confluent-kafka does not load this library.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager

from kafka import KafkaConsumer, TopicPartition

from bench.consumer.sides import (
    PARTITIONS,
    SIZE,
    TOPIC,
    WAIT_S,
    Loop,
    by_the_batch,
    options_of,
)
from trimtab import Consumer


@contextmanager
def polled_by_kafka_python(servers: str) -> Iterator[Loop]:
    """kafka-python's own `poll` of up to 500."""
    with closing(KafkaConsumer(bootstrap_servers=servers, auto_offset_reset="earliest")) as bare:
        bare.assign([TopicPartition(TOPIC, it) for it in range(PARTITIONS)])

        def read(count: int) -> None:
            while count > 0:
                found = bare.poll(timeout_ms=int(WAIT_S * 1_000), max_records=SIZE)
                count -= sum(map(len, found.values()))

        yield read


@contextmanager
def batched_by_kafka_python(servers: str) -> Iterator[Loop]:
    """Ours, by the batch."""
    options = options_of(servers, "kafka-python") | {"client": "kafka-python", "kafka": {}}
    with Consumer(servers, **options) as consumer:
        yield by_the_batch(consumer)
