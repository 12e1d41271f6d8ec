"""What kafka-python could not read: of an unknown codec, with a wrong sum, or for a deserializer.

It raises once, keeps the rest of what it had fetched, whose iterator has ended, and its next `poll`
never ends (kafka-python 3.0.12, `Fetcher.fetched_records`). Forgotten, the batch is fetched again.
"""

from typing import Any

from kafka import TopicPartition


def forget(consumer: Any) -> TopicPartition | None:  # noqa: ANN401 - the library has no types
    """Forget what is left of a fetch, after `poll` has raised; return of which partition."""
    fetcher = consumer._fetcher  # noqa: SLF001 - it cannot be told in another way
    left = fetcher._next_partition_records  # noqa: SLF001 - as above
    if not left:  # None, or one that was read to its end
        return None
    fetcher._next_partition_records = None  # noqa: SLF001 - as above
    left.drain()
    return left.topic_partition
