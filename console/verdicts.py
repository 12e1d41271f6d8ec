"""The verdicts on brokers as Kafka has them.

A notice board read from end to end: `brokers` is compacted, so what stands on it is the newest word
on each broker.

Called by `trimtab brokers`. Its one rule: it reads records, and judges nothing.
"""

import time
from collections.abc import Iterator

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    Message,
    TopicPartition,
)

from console.cluster import native_options
from console.errors import ExitCode, Failure
from console.settings import Settings
from trimtab.protocol import (
    BROKERS,
    BrokerKey,
    Verdict,
    decode,
    read_broker_key,
)

PATIENCE_S = 30.0


def standing(settings: Settings, servers: str) -> list[Verdict]:
    """Read the newest verdict on each broker, in order of cluster and broker.

    Raises:
        Failure: The topic cannot be read.
    """
    verdicts: dict[BrokerKey, Verdict] = {}
    for message in _from_end_to_end(settings, servers, f"{settings.topics.prefix}{BROKERS.name}"):
        key, value = read_broker_key(message.key()), message.value()
        if value is None:
            verdicts.pop(key, None)
        else:
            verdicts[key] = decode(BROKERS, value)
    return [verdict for _, verdict in sorted(verdicts.items())]


def _from_end_to_end(settings: Settings, servers: str, topic: str) -> Iterator[Message]:
    consumer = Consumer(
        {
            **native_options(settings),
            "bootstrap.servers": servers,
            "group.id": "trimtab-brokers",  # asked for by the client; nothing is committed
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "log_level": 2,
        }
    )
    unread = set(range(settings.topics.partitions))
    deadline = time.monotonic() + PATIENCE_S
    try:
        consumer.assign([TopicPartition(topic, it, OFFSET_BEGINNING) for it in unread])
        while unread:
            if time.monotonic() > deadline:
                raise Failure(f"{topic}: not read within {PATIENCE_S:.0f} s", ExitCode.TIMEOUT)
            message = consumer.poll(0.1)
            if message is None:
                continue
            error = message.error()
            if error is None:
                yield message
            elif error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - its documented name
                unread.discard(message.partition())
            else:
                raise Failure(f"{topic}: {error.str()}")
    finally:
        consumer.close()
