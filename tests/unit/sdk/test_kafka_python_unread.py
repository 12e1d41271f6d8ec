"""A batch that kafka-python cannot read: with its own code for what was fetched."""

import struct
from collections import deque
from types import SimpleNamespace

import pytest
from kafka import TopicPartition
from kafka.consumer.fetcher import Fetcher
from kafka.consumer.subscription_state import SubscriptionState
from kafka.errors import KafkaError
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder
from kafka.record.util import calc_crc32c

from trimtab.transports.kafka_python_unread import forget

PLACE = TopicPartition("orders", 0)
_ATTRIBUTES, _SUM = 21, 17
"""Where the codec stands in a batch (Kafka's record batch, magic 2), and the sum of the rest."""
UNKNOWN_CODEC = 7


def unreadable() -> Fetcher:
    """What has fetched a batch of five messages, compressed in a way that nobody knows."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=10_000)
    for _ in range(5):
        builder.append(timestamp=1, key=None, value=b"1")
    builder.close()
    batch = bytearray(builder.buffer())
    struct.pack_into(">h", batch, _ATTRIBUTES, UNKNOWN_CODEC)
    struct.pack_into(">I", batch, _SUM, calc_crc32c(bytes(batch[_ATTRIBUTES:])))
    places = SubscriptionState("none")
    places.assign_from_user([PLACE])
    places.seek(PLACE, 0)
    fetcher = Fetcher.__new__(Fetcher)
    vars(fetcher).update(
        config={"max_poll_records": 500},
        _subscriptions=places,
        _sensors=None,
        _next_in_line_exception_metadata=None,
        _completed_fetches=deque(),
        _paused_completed_fetches={},
        _paused_partition_records={},
        _next_partition_records=Fetcher.PartitionRecords(0, PLACE, MemoryRecords(bytes(batch))),
    )
    return fetcher


def test_what_cannot_be_read_is_forgotten_and_the_next_poll_ends() -> None:
    """Without that it looks for ever in what has no more."""
    fetcher = unreadable()
    with pytest.raises((KafkaError, ValueError, AssertionError)):
        fetcher.fetched_records(500)

    assert PLACE == forget(SimpleNamespace(_fetcher=fetcher))
    assert ({}, False) == fetcher.fetched_records(500)
    assert forget(SimpleNamespace(_fetcher=fetcher)) is None
