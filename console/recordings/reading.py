"""Recorded topics as rows; the reader puts them in order.

For a replay or a check of what really happened. Called by `trimtab replay` and `trimtab check` when
no file is named.
"""

from collections.abc import Sequence

from confluent_kafka import Message

from console.settings import Settings
from console.whole_topics import messages
from streaming.wire.rows import Row


def recorded(settings: Settings, servers: str, topics: Sequence[str]) -> list[Row]:
    """Read topics; only the rows of a partition are in order.

    Raises:
        Failure: Kafka does not answer, or has no such topic.
    """
    return list(map(_row, messages(settings, servers, topics)))


def _row(message: Message) -> Row:
    key, value = message.key(), message.value()
    _, appended_ms = message.timestamp()
    size = 0 if value is None else len(value)
    place = (str(message.topic()), message.partition() or 0, message.offset() or 0)
    return Row(*place, appended_ms, key, value, size)
