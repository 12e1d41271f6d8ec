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

from trimtab.transports.kafka_python_unread import forget, forget_at_once

PLACE = TopicPartition("orders", 0)
_ATTRIBUTES, _SUM = 21, 17
"""Where the codec stands in a batch (Kafka's record batch, magic 2), and the sum of the rest."""
UNKNOWN_CODEC = 7


def a_batch(codec: int, first: int = 0) -> bytes:
    """Five messages, said to be compressed in this way."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=10_000, offset=first)
    for _ in range(5):
        builder.append(timestamp=1, key=None, value=b"1")
    builder.close()
    batch = bytearray(builder.buffer())
    struct.pack_into(">h", batch, _ATTRIBUTES, codec)
    struct.pack_into(">I", batch, _SUM, calc_crc32c(bytes(batch[_ATTRIBUTES:])))
    return bytes(batch)


def fetched(batches: bytes) -> Fetcher:
    """What has fetched these."""
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
        _next_partition_records=Fetcher.PartitionRecords(0, PLACE, MemoryRecords(batches)),
    )
    return fetcher


def test_what_cannot_be_read_is_forgotten_and_the_next_poll_ends() -> None:
    """Without that it looks for ever in what has no more."""
    fetcher = fetched(a_batch(UNKNOWN_CODEC))
    with pytest.raises((KafkaError, ValueError, AssertionError)):
        fetcher.fetched_records(500)

    assert PLACE == forget(SimpleNamespace(_fetcher=fetcher))
    assert ({}, False) == fetcher.fetched_records(500)
    assert forget(SimpleNamespace(_fetcher=fetcher)) is None


def test_what_cannot_be_read_behind_what_can_stops_nothing_when_its_queue_goes_on() -> None:
    """Who pauses a queue goes back to where it is; then that is the place that is stuck."""
    fetcher = fetched(a_batch(0) + a_batch(UNKNOWN_CODEC, 5))
    places, consumer = fetcher._subscriptions, SimpleNamespace(_fetcher=fetcher)  # noqa: SLF001 - its own
    records, _ = fetcher.fetched_records(500)
    unread = forget_at_once(consumer)
    places.pause(PLACE)
    resting = fetcher.fetched_records(500)
    places.resume(PLACE)

    assert (5, PLACE, ({}, False)) == (len(records[PLACE]), unread, resting)
    assert ({}, False) == fetcher.fetched_records(500)
    assert forget_at_once(consumer) is None


def test_of_what_cannot_be_read_behind_what_can_the_next_poll_tells() -> None:
    """Forgotten, it is told all the same."""
    fetcher = fetched(a_batch(0) + a_batch(UNKNOWN_CODEC, 5))
    fetcher.fetched_records(500)
    forget_at_once(SimpleNamespace(_fetcher=fetcher))

    with pytest.raises((KafkaError, ValueError, AssertionError)):
        fetcher.fetched_records(500)
