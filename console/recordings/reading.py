"""Recorded topics as rows; the reader puts them in order.

For a replay or a check of what really happened. Called by `trimtab replay` and `trimtab check` when
no file is named. Its one rule: it holds no more rows than a machine has room for, and says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from confluent_kafka import Message

from console.errors import Failure
from console.recordings.evidence import Published, is_heard, times
from console.settings import Settings
from console.whole_topics import messages
from streaming.wire.rows import Row
from trimtab.protocol import GROUPS, HISTORY, TOPICS, limits

MOST: Final = 5_000_000
"""Rows. A thousand members that beat each second write them in 80 minutes."""
MOST_BYTES: Final = 2 * 1024**3
"""Of their keys and values; so many beats have less."""


class Wanted(NamedTuple):
    """What is read."""

    topics: Sequence[str]
    group: str | None
    """Of one group only its partition is read; topics with other keys are read whole."""
    decided: bool = False
    """Whether neighbours are left out as far as they have no part in what is decided about it."""


def recorded(settings: Settings, servers: str, wanted: Wanted) -> list[Row]:
    """Read topics; only the rows of a partition are in order.

    Raises:
        Failure: Kafka does not answer, or has no such topic, or there is too much.
    """
    if wanted.group is None:
        remedy = "give --group: then only its partition is read"
        return _held(map(_row, messages(settings, servers, wanted.topics)), remedy)
    remedy = "record fewer into a file, and name that"
    return _held(_of_group(settings, servers, wanted, wanted.group), remedy)


def _held(rows: Iterable[Row], remedy: str) -> list[Row]:
    held, size = list[Row](), 0
    for row in rows:
        size += len(row.key or b"") + len(row.value or b"")
        if len(held) == MOST or size > MOST_BYTES:
            most = f"{MOST:,} records, or {MOST_BYTES:,} bytes of them"
            raise Failure(f"there are more than {most}, which need memory: {remedy}")
        held.append(row)
    return held


def _of_group(settings: Settings, servers: str, wanted: Wanted, group: str) -> Iterator[Row]:
    """Read what was published first: its times say which records of neighbours count."""
    prefix = settings.topics.prefix
    own = [it for it in wanted.topics if TOPICS[it.removeprefix(prefix)].partitioned_by_group]
    told = [it for it in own if it in (f"{prefix}{HISTORY.name}", f"{prefix}{GROUPS.name}")]

    def read(topics: Sequence[str], key: str | None) -> Iterator[Row]:
        return map(_row, messages(settings, servers, topics, key=key))

    published, key = list[Row](), group.encode()
    for row in read(told, group):
        if row.key == key:
            published.append(row)
        if row.key == key or not wanted.decided:
            yield row
    known = Published.of(group, published, prefix)
    ends = times(known.ends())
    for row in read([it for it in own if it not in told], group):
        if not (wanted.decided and known.history) or is_heard(row, group, prefix, ends):
            yield row
    yield from read([it for it in wanted.topics if it not in own], None)


def _row(message: Message) -> Row:
    key, value = message.key(), message.value()
    _, appended_ms = message.timestamp()
    size = 0 if value is None else len(value)
    if value is not None and size > limits.RECORD_BYTES:
        value = value[: limits.DEAD_LETTER_BYTES]  # as the controller does
    place = (str(message.topic()), message.partition() or 0, message.offset() or 0)
    return Row(*place, appended_ms, key, value, size)
