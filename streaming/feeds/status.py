"""The status writer: one record every five seconds that says how the controller is doing.

It goes to the compacted topic `controllers`, under the controller's name, and to whoever shows it
elsewhere. One that Kafka does not take is dropped, since the next one says more.

Run by ``application``. Its one rule: nothing waits for it, and nobody decides anything by it.
"""

from collections.abc import Callable
from threading import Event
from typing import Final

from confluent_kafka import Producer

from streaming.feeds.feed import NOT_TAKEN, client_config, logger
from streaming.metrics.status import Status
from streaming.options import Options
from streaming.process.trouble import Trouble
from trimtab.protocol import CONTROLLERS, Controller, encode, partition_of

INTERVAL_S: Final = 5.0


class StatusWriter:
    """Writes until it is told to stop."""

    name = "status"

    def __init__(
        self, options: Options, status: Status, show: Callable[[Controller], None] | None
    ) -> None:
        self._options, self._status, self._show = options, status, show
        self._topic = f"{options.topics.prefix}{CONTROLLERS.name}"
        self._writing = Trouble(logger(self.name), "delivery of the status")

    def run(self, stop: Event) -> None:
        """Write at the interval."""
        lifetime_ms = int(INTERVAL_S * 1000)
        config = client_config(self._options, self.name, self._writing)
        producer = Producer({**config, "message.timeout.ms": lifetime_ms})
        while not stop.wait(INTERVAL_S):
            self._write(producer)
            producer.poll(0)
        producer.purge()

    def _write(self, producer: Producer) -> None:
        name, record = self._options.name, self._status.record()
        if self._show is not None:
            self._show(record)
        partition = partition_of(name, self._options.topics.partitions)
        try:
            producer.produce(
                self._topic,
                encode(record),
                name.encode(),
                partition,
                on_delivery=self._writing.delivered,
            )
        except NOT_TAKEN as error:
            self._writing.met(error)
