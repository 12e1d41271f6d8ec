"""The younger start: whether this controller was replaced, asked of Kafka alone.

A controller that is replaced reads that in a batch (``supersession``), or finds its checkpoint
elsewhere. One that fails for its own reasons has no batch, and may not reach its checkpoint. So it
looks before each further try, or it would tick, and tell what is published, beside its successor.

Asked by ``start``. Its one rule: what it has read once it does not read again.
"""

import time
from collections.abc import Sequence
from contextlib import closing
from threading import Event
from typing import Final

from confluent_kafka import Consumer, TopicPartition

from streaming.feeds.feed import PROMPT, logger, reader_config, taken
from streaming.options import Options
from streaming.process.trouble import Trouble
from streaming.startup.losses import Contents
from streaming.topics import names
from trimtab.protocol import ROUTES, START_KEY

_NAME: Final = "younger"
_FIRST: Final = 0
_AT_ONCE: Final = 10_000
_LISTEN_S: Final = 0.5
_PATIENCE_S: Final = 10.0
"""Then it tries its query, and reads on before the next try."""


class YoungerStart:
    """Looks behind this controller's start, in the first partition: a start is in each.

    Args:
        options: Which controller.
        starts: At which offsets it has said that it starts, by partition; none if it never did.
    """

    def __init__(self, options: Options, starts: Sequence[int]) -> None:
        self._options = options
        self._trouble = Trouble(logger(_NAME), "look for a younger start")
        (topic,) = names(options.topics.prefix, (ROUTES,))
        self._at = TopicPartition(topic, _FIRST, starts[_FIRST] + 1) if starts else None

    def found(self, contents: Contents, stop: Event) -> str | None:
        """Say where one is; None: there is none, or Kafka did not say in time."""
        if (at := self._at) is None:
            return None
        end, deadline = contents.ends[at.topic, _FIRST].end, time.monotonic() + _PATIENCE_S
        config = reader_config(self._options, _NAME, self._trouble)
        with closing(Consumer({**config, **PROMPT, "auto.offset.reset": "earliest"})) as consumer:
            consumer.assign([at])
            while at.offset < end and time.monotonic() < deadline and not stop.is_set():
                for message in taken(consumer, _LISTEN_S, _AT_ONCE):
                    if message.error() is None and message.key() == START_KEY:
                        return f"{at.topic}/{_FIRST}@{message.offset()}"
                at.offset = max(at.offset, consumer.position([at])[0].offset)
        return None
