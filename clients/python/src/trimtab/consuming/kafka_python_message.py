"""A message of kafka-python, with the methods of confluent-kafka's.

So what handles messages works with either client. Made by `kafka_python`.
"""

from typing import Any

_TIMESTAMP_AFTER: int = 1
"""confluent-kafka counts the types of timestamps from one, and 0 means that there is none."""


class KafkaPythonMessage:
    """One message; `record` is kafka-python's own."""

    __slots__ = ("record",)

    def __init__(self, record: Any) -> None:  # noqa: ANN401 - it ships no types
        self.record = record

    def topic(self) -> str:
        """Its topic."""
        return str(self.record.topic)

    def partition(self) -> int:
        """Its partition."""
        return int(self.record.partition)

    def offset(self) -> int:
        """Its offset."""
        return int(self.record.offset)

    def key(self) -> Any:  # noqa: ANN401 - a deserializer may have made anything of it
        """Its key."""
        return self.record.key

    def value(self) -> Any:  # noqa: ANN401 - as above
        """Its value."""
        return self.record.value

    def headers(self) -> list[tuple[str, bytes | None]] | None:
        """Its headers, if it has any."""
        return list(self.record.headers) or None

    def timestamp(self) -> tuple[int, int]:
        """The type of its timestamp, as confluent-kafka has it, and milliseconds since 1970."""
        if self.record.timestamp is None or self.record.timestamp < 0:
            return 0, 0
        return self.record.timestamp_type + _TIMESTAMP_AFTER, self.record.timestamp

    def leader_epoch(self) -> int | None:
        """The epoch of the leader that wrote it, if it is known."""
        epoch = self.record.leader_epoch
        return epoch if epoch is not None and epoch >= 0 else None

    def error(self) -> None:
        """Nothing: it is a message."""

    def __len__(self) -> int:
        """The bytes of its value."""
        return max(0, int(self.record.serialized_value_size))
