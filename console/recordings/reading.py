"""Recorded topics as rows; the reader puts them in order.

For a replay or a check of what really happened. Called by `trimtab replay` and `trimtab check` when
no file is named.
"""

from collections.abc import Iterator, Sequence

from confluent_kafka import Message

from console.settings import Settings
from console.whole_topics import messages
from streaming.wire.rows import Row
from trimtab.protocol import TOPICS


def recorded(
    settings: Settings, servers: str, topics: Sequence[str], group: str | None = None
) -> list[Row]:
    """Read topics; only the rows of a partition are in order.

    Of a ``group`` only its partition is read; topics with other keys are read whole.

    Raises:
        Failure: Kafka does not answer, or has no such topic.
    """
    return list(map(_row, _messages(settings, servers, topics, group)))


def _messages(
    settings: Settings, servers: str, topics: Sequence[str], group: str | None
) -> Iterator[Message]:
    if group is None:
        yield from messages(settings, servers, topics)
        return
    prefix = settings.topics.prefix
    own = [it for it in topics if TOPICS[it.removeprefix(prefix)].partitioned_by_group]
    yield from messages(settings, servers, own, key=group)
    yield from messages(settings, servers, [it for it in topics if it not in own])


def _row(message: Message) -> Row:
    key, value = message.key(), message.value()
    _, appended_ms = message.timestamp()
    size = 0 if value is None else len(value)
    place = (str(message.topic()), message.partition() or 0, message.offset() or 0)
    return Row(*place, appended_ms, key, value, size)
