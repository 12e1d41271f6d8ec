"""What a feed is: a name, and something to run until it is told to stop.

Every feed is a client of Kafka like any other: it has its own connections, its own name in the
broker's logs, and its own name in ours. What they share is here.

Used by every feed and by ``start``. A feed ends when told to, or with an error.
"""

from threading import Event
from typing import Any, Final, Protocol

import structlog
from confluent_kafka import Consumer, KafkaException, Message
from structlog.typing import FilteringBoundLogger

from streaming.options import Options
from streaming.process.trouble import Trouble

NOT_TAKEN: Final = (BufferError, KafkaException)
"""What a librdkafka client raises that cannot even keep a record for later. Feeds repeat theirs."""
Config = dict[str, Any]
"""What librdkafka takes: text, numbers, truth values and callbacks."""
_SOON: Final[Config] = {"reconnect.backoff.max.ms": 1_000}
"""The default, 10 s, is a whole session: so long a Kafka that is back would be missed. Not for who
says where the pauses begin: librdkafka refuses a beginning above their end."""
_BEGINNING: Final = "reconnect.backoff.ms"


class Feed(Protocol):
    """A thread of the driver."""

    @property
    def name(self) -> str:
        """What the thread is called."""
        ...

    def run(self, stop: Event) -> None:
        """Feed until ``stop`` is set."""
        ...


def logger(feed: str) -> FilteringBoundLogger:
    """Return the logger of a feed."""
    log: FilteringBoundLogger = structlog.get_logger().bind(feed=feed)
    return log


def client_config(options: Options, feed: str, trouble: Trouble) -> Config:
    """Return what every librdkafka client of a feed is told.

    Args:
        options: Where Kafka is.
        feed: Whose client it is.
        trouble: Who hears when it loses its brokers; what the client is for will end it.
    """
    given = options.kafka.client()
    return {
        **({} if _BEGINNING in given else _SOON),
        **given,
        "client.id": f"{options.name}-{feed}",
        # librdkafka would write each failed connection to stderr by itself.
        "log_level": 2,
        "error_cb": trouble.met,
    }


PROMPT: Final[Config] = {"fetch.wait.max.ms": 20}
"""For a reader that waits for the end of a partition: Kafka holds a fetch back, and with it the
news that there is nothing more, and other answers on that connection; by default for 500 ms."""


def reader_config(options: Options, feed: str, trouble: Trouble) -> Config:
    """Return what a consumer of a feed is told besides: it takes no part in a group."""
    return {
        **client_config(options, feed, trouble),
        # Named by need only: it commits nothing.
        "group.id": f"{options.name}-{feed}",
        "enable.auto.commit": False,
    }


def taken(consumer: Consumer, patience_s: float, most: int) -> list[Message]:
    """Take what there is; wait only for the first message."""
    first = consumer.poll(patience_s)
    return [] if first is None else [first, *consumer.consume(most, 0)]
