"""The takeover: a controller that starts says so, and waits until no other one decides.

The other half of ``supersession``. Before it reads what is published, a controller appends a start
to every partition; the offsets of these records are its age. An earlier controller may be only cut
off, not dead (fault A5): if a tick came a moment ago, it gets the time to read the start and stop.
One that is frozen all the while may still write one batch when it wakes, which it had decided
before. Its next batch ends it. A member that was told something by its successor does not obey it;
what is left is in ``tests.laws.test_takeovers``.

Called by ``start``, before anything is read or decided. Its one rule: after it, this
controller is the only one that decides.
"""

import secrets
import time
from threading import Event
from typing import Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from streaming.feeds.feed import logger, reader_config
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.delivery import StartWriter
from trimtab.protocol import HEARTBEATS, START_KEY, TICK_KEY, Start

_NAME: Final = "takeover"
_PATIENCE_S: Final = 30.0
"""So long Kafka may take to answer."""
_TICKS: Final = 2
"""A controller that ticked in the last so many intervals may be active, and has as many to stop."""


class NotTold(Exception):  # noqa: N818 - it names what happened
    """Kafka did not say whether another controller is at work."""


def new_start() -> str:
    """Return a name for a start: for people, and to tell what belongs together."""
    return f"{time.time_ns() // 1_000_000:013d}-{secrets.token_hex(4)}"


def take_over(options: Options, start: str, writer: StartWriter, stop: Event) -> tuple[int, ...]:
    """Say in every partition that this controller starts; return at which offsets.

    Raises:
        NotTold: Kafka did not say whether another controller is active.
        Undelivered: Kafka did not take the start.
    """
    grace_ms = grace_of(options)
    starts, at_ms = announce(options, start, writer)
    try:
        busy = _has_ticked(options, at_ms - grace_ms)
    except KafkaException as error:
        raise NotTold(f"could not find out which controller was active: {error}") from error
    if busy:
        logger(_NAME).info(
            "another controller was active a moment ago; waiting for it to stop", ms=grace_ms
        )
        stop.wait(grace_ms / 1000)
    return starts


def grace_of(options: Options) -> int:
    """Return how long an active controller may say nothing, or need to stop; in milliseconds."""
    return _TICKS * options.feeds.tick_interval_ms


def announce(options: Options, start: str, writer: StartWriter) -> tuple[tuple[int, ...], int]:
    """Append the start to every partition; return where, and the broker's time."""
    delivery = writer.delivery("announcing this start")
    for partition in range(options.topics.partitions):
        delivery.send(Start(controller=options.name, start=start), START_KEY, partition)
    receipts = delivery.arrived()
    offsets = tuple(receipts[it].offset() or 0 for it in range(options.topics.partitions))
    return offsets, receipts[0].timestamp()[1]


def _has_ticked(options: Options, since_ms: int) -> bool:
    """Tell whether there is a tick, of whomever, that is not older."""
    topic = f"{options.topics.prefix}{HEARTBEATS.name}"
    trouble = Trouble(logger(_NAME), "looking for ticks")
    consumer = Consumer(reader_config(options, _NAME, trouble))
    try:
        (place,) = consumer.offsets_for_times([TopicPartition(topic, 0, since_ms)], _PATIENCE_S)
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), _PATIENCE_S)
        if not 0 <= place.offset < end:
            return False
        consumer.assign([place])
        heard = time.monotonic()
        while (left := heard + _PATIENCE_S - time.monotonic()) > 0:
            message = consumer.poll(left)
            if message is None or message.error() is not None:
                continue  # librdkafka tries on by itself
            heard = time.monotonic()
            if message.key() == TICK_KEY:
                return True
            if (message.offset() or 0) + 1 >= end:
                return False
        raise NotTold("could not find out which controller was active: Kafka does not answer")
    finally:
        consumer.close()
