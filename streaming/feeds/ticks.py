"""The tick producer: one record a second into every heartbeat partition.

Ticks keep the log's clock running. A tick at an offset proves that every earlier beat of its
partition has been read, so that "silent for ten seconds before this tick" is exact whatever the
backlog. While Kafka is away no tick is appended, the clocks stand still, and no member expires. A
tick that could not be sent for a few seconds is dropped, because a late tick proves nothing that a
fresh one does not.

Each says how far the controller had come when it was written (``horizon``). One that is behind has
to catch up before time goes on. A start's first one, and the first that says how far it is, are
written at once: cells that wait behind their gates open by these.

Run by ``start``. Its one rule: the tick carries no time; the broker's stamp is the time.
"""

import time
from itertools import count
from threading import Event
from typing import Final

from confluent_kafka import KafkaError, Message

from streaming.feeds.clients import LIFETIME_MS, FeedProducer
from streaming.feeds.feed import client_config, logger
from streaming.options import Options
from streaming.process.horizon import FIRST_TICK, Horizon
from streaming.process.trouble import Trouble
from trimtab.protocol import HEARTBEATS, TICK_KEY, Tick, encode

_NEWS_S: Final = 0.05
"""How often it looks whether there is something to say at once."""


class TickProducer:
    """Ticks until it is told to stop."""

    name = "ticks"

    def __init__(self, options: Options, horizon: Horizon) -> None:
        self._options, self._horizon = options, horizon
        self._topic = f"{options.topics.prefix}{HEARTBEATS.name}"
        self._begun = self._told = ""
        """The start whose first tick is written, and the one of which is said how far it is."""
        self._delivery = Trouble(logger(self.name), "write ticks")

    def run(self, stop: Event) -> None:
        """Tick at the interval; a tick that comes too late is left out, not made up for."""
        interval = self._options.feeds.tick_interval_ms / 1000
        producer = self._producer()
        due = time.monotonic()
        for number in count(FIRST_TICK + 1):
            self._rest(stop, due)
            if stop.is_set():
                break
            self._tick(producer, number)
            due = max(due + interval, time.monotonic())
        producer.flush(LIFETIME_MS / 1000)

    def _rest(self, stop: Event, due: float) -> None:
        """Wait for the next tick's time, or for a start to begin or to have come far."""
        while not stop.is_set() and (left := due - time.monotonic()) > 0:
            start = self._horizon.start
            if start != self._begun:
                self._begun = start
                return
            if start != self._told and self._horizon.has_come(self._options.topics.partitions):
                self._told = start
                return
            stop.wait(min(left, _NEWS_S))

    def _producer(self) -> FeedProducer:
        config = client_config(self._options, self.name, self._delivery)
        return FeedProducer(config, self._delivery)

    def _tick(self, producer: FeedProducer, number: int) -> None:
        start = self._horizon.start

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                place = message.partition() or 0, message.offset() or 0
                self._horizon.ticked(start, *place, number, message.timestamp()[1])

        for partition in range(self._options.topics.partitions):
            seen = self._horizon.seen(partition)
            tick = Tick(
                controller=self._options.name, number=number, start=start or None, seen=seen
            )
            producer.write(self._topic, encode(tick), TICK_KEY, partition, delivered)
        producer.poll()
