"""Reading whole topics from a broker, from the first record there is to the last at the start.

For a replay or a check of what really happened: every partition is read to its end of this moment,
and the records of all are put in the order of the broker's time.

Called by `trimtab replay` and `trimtab check` when no file is named. Its one rule: it joins no
group and commits nothing; nobody notices that it was there.
"""

from collections.abc import Iterator, Sequence

from confluent_kafka import Consumer, KafkaException, Message, TopicPartition

from console.cluster import native_options
from console.errors import ExitCode, Failure
from console.settings import Settings
from streaming.rows import Row

_TIMEOUT_S = 15.0
"""How long a broker may say nothing; a healthy one answers in milliseconds."""


def recorded(settings: Settings, servers: str, topics: Sequence[str]) -> list[Row]:
    """Read topics, in the order of time.

    Raises:
        Failure: Kafka does not answer, or has no such topic.
    """
    consumer = Consumer(
        {
            **native_options(settings),
            "bootstrap.servers": servers,
            "group.id": "trimtab-reading",  # never joined
            "enable.auto.commit": False,
            "enable.partition.eof": False,
            "log_level": 2,
        }
    )
    try:
        rows = list(_rows(consumer, topics))
    except KafkaException as error:
        raise Failure(f"Kafka does not answer: {error.args[0].str()}", ExitCode.TIMEOUT) from error
    finally:
        consumer.close()
    return sorted(rows, key=lambda row: (row.appended_ms, row[:3]))


def _rows(consumer: Consumer, topics: Sequence[str]) -> Iterator[Row]:
    left = dict(_ends(consumer, topics))
    consumer.assign([TopicPartition(*place, 0) for place in left])
    for place, (first, _) in left.items():
        consumer.seek(TopicPartition(*place, first)) if first else None
    while left:
        message = consumer.poll(_TIMEOUT_S)
        if message is None:
            raise Failure("Kafka has stopped answering", ExitCode.TIMEOUT)
        if message.error():
            raise KafkaException(message.error())
        row = _row(message)
        yield row
        if row.offset + 1 >= left.get(row[:2], (0, 0))[1]:
            left.pop(row[:2], None)


def _ends(
    consumer: Consumer, topics: Sequence[str]
) -> Iterator[tuple[tuple[str, int], tuple[int, int]]]:
    for topic in topics:
        found = consumer.list_topics(topic, _TIMEOUT_S).topics[topic]
        if found.error is not None:
            raise Failure(f"there is no topic {topic}", ExitCode.NOT_FOUND)
        for partition in found.partitions:
            first, end = consumer.get_watermark_offsets(
                TopicPartition(topic, partition), _TIMEOUT_S
            )
            if end > first:
                yield (topic, partition), (first, end)


def _row(message: Message) -> Row:
    key, value = message.key(), message.value()
    _, appended_ms = message.timestamp()
    size = 0 if value is None else len(value)
    place = (str(message.topic()), message.partition() or 0, message.offset() or 0)
    return Row(*place, appended_ms, key, value, size)
