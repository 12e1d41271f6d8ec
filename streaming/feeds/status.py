"""The status writer: one record every five seconds that says how the controller is doing.

It goes to the compacted topic `controllers`, under the controller's name, and to whoever shows it
elsewhere. One that Kafka does not take is dropped, since the next one says more. The first one says
what the controller is from now on, and the last one of an active controller that it has ended: a
standby need not wait longer.

Run by ``start``. Its one rule: nothing waits for it, and nobody decides about groups by it.
"""

from collections.abc import Callable
from threading import Event
from typing import Final

from streaming.feeds.clients import FeedProducer
from streaming.feeds.feed import client_config, logger
from streaming.metrics.status import Status
from streaming.options import Options
from streaming.process.trouble import Trouble
from trimtab.protocol import CONTROLLERS, Controller, encode, partition_of
from trimtab.protocol.controllers import Role

INTERVAL_S: Final = 5.0
_LAST_WORD_S: Final = 1.0
"""How long the last one may take: a controller that ends does not wait for Kafka."""


class StatusWriter:
    """Writes until it is told to stop."""

    name = "status"

    def __init__(
        self,
        options: Options,
        status: Status,
        show: Callable[[Controller], None] | None,
        over: Event | None = None,
    ) -> None:
        """Take what to write; ``over`` is set when an active controller decides nothing more."""
        self._options, self._status, self._show, self._over = options, status, show, over
        self._role: Role = "standby" if over is None else "active"
        self._topic = f"{options.topics.prefix}{CONTROLLERS.name}"
        self._writing = Trouble(logger(self.name), "write the status")

    def run(self, stop: Event) -> None:
        """Write at once, then at the interval, and at the end."""
        config = client_config(self._options, self.name, self._writing)
        producer = FeedProducer(config, self._writing)
        while True:
            record = self._status.record(self._role)
            if self._show is not None:
                self._show(record)
            self._write(producer, record)
            producer.poll()
            if stop.wait(INTERVAL_S):
                break
        if self._over is not None:
            self._over.wait()  # before that a standby must not begin
            self._write(producer, self._status.record("ended"))
            producer.flush(_LAST_WORD_S)
        producer.purge()

    def _write(self, producer: FeedProducer, record: Controller) -> None:
        name = self._options.name
        partition = partition_of(name, self._options.topics.partitions)
        producer.write(self._topic, encode(record), name.encode(), partition)
