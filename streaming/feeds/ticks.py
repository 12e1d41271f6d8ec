"""The tick producer: one record a second into every heartbeat partition.

Ticks keep the log's clock running. A tick at an offset proves that every earlier beat of its
partition has been read, so that "silent for ten seconds before this tick" is exact whatever the
backlog. While Kafka is away no tick is appended, the clocks stand still, and no member expires. A
tick that could not be sent for a few seconds is dropped, because a late tick proves nothing that a
fresh one does not.

Each says how far the controller had come when it was written (``horizon``). One that is behind has
to catch up before time goes on.

Run by ``application``. Its one rule: the tick carries no time; the broker's stamp is the time.
"""

import time
from itertools import count
from threading import Event

from confluent_kafka import KafkaError, Message, Producer

from streaming.feeds.feed import NOT_TAKEN, client_config, logger
from streaming.options import Options
from streaming.process.horizon import FIRST_TICK, Horizon
from streaming.process.trouble import Trouble
from trimtab.protocol import HEARTBEATS, TICK_KEY, Tick, encode

_LIFETIME_MS = 5_000
"""Ticks older than this are dropped unsent: five of them are on their way at most."""


class TickProducer:
    """Ticks until it is told to stop."""

    name = "ticks"

    def __init__(self, options: Options, horizon: Horizon) -> None:
        self._options, self._horizon = options, horizon
        self._topic = f"{options.topics.prefix}{HEARTBEATS.name}"
        self._delivery = Trouble(logger(self.name), "delivery of ticks")

    def run(self, stop: Event) -> None:
        """Tick at the interval; a tick that comes too late is left out, not made up for."""
        interval = self._options.feeds.tick_interval_ms / 1000
        producer = self._producer()
        due = time.monotonic()
        for number in count(FIRST_TICK + 1):
            if stop.wait(max(0.0, due - time.monotonic())):
                break
            self._tick(producer, number)
            due = max(due + interval, time.monotonic())
        producer.flush(_LIFETIME_MS / 1000)

    def _producer(self) -> Producer:
        return Producer(
            {
                **client_config(self._options, self.name, self._delivery),
                "linger.ms": 0,
                "message.timeout.ms": _LIFETIME_MS,
            }
        )

    def _tick(self, producer: Producer, number: int) -> None:
        start = self._horizon.start

        def delivered(error: KafkaError | None, message: Message) -> None:
            self._delivery.delivered(error, message)
            if error is None:
                place = message.partition() or 0, message.offset() or 0
                self._horizon.ticked(start, *place, number, message.timestamp()[1])

        for partition in range(self._options.topics.partitions):
            seen = self._horizon.seen(partition)
            tick = Tick(
                controller=self._options.name, number=number, start=start or None, seen=seen
            )
            try:
                producer.produce(
                    self._topic, encode(tick), TICK_KEY, partition, on_delivery=delivered
                )
            except NOT_TAKEN as error:
                self._delivery.met(error)
        producer.poll(0)
