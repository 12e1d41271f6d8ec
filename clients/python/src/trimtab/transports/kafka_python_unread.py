"""What kafka-python could not read: of an unknown codec, with a wrong sum, or for a deserializer.

It raises once, keeps the rest of what it had fetched, whose iterator has ended, and its next `poll`
never ends (kafka-python 3.0.12, `Fetcher.fetched_records`). Forgotten, the batch is fetched again.
Where good records come before, `poll` returns them and raises the next time; or never, if that
partition is paused by then, and is stuck when it goes on.
"""

from typing import Any

from kafka import TopicPartition


def forget_at_once(consumer: Any) -> TopicPartition | None:  # noqa: ANN401 - the library has no types
    """Forget what the next `poll` would raise of, after one that has returned, likewise."""
    is_left = consumer._fetcher._next_in_line_exception_metadata is not None  # noqa: SLF001 - as below
    return forget(consumer) if is_left else None


def forget(consumer: Any) -> TopicPartition | None:  # noqa: ANN401 - the library has no types
    """Forget what is left of a fetch, after `poll` has raised; return of which partition."""
    fetcher = consumer._fetcher  # noqa: SLF001 - it cannot be told in another way
    left = fetcher._next_partition_records  # noqa: SLF001 - as above
    if not left:  # None, or one that was read to its end
        return None
    fetcher._next_partition_records = None  # noqa: SLF001 - as above
    left.drain()
    return left.topic_partition
