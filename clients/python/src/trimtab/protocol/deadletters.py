"""Topic `deadletters`, keyed by source topic: records that could not be used, and why.

Each is kept, cut to size, with the place where it was found. Written by the controller, read by
people. Its one rule: nothing in it is trusted; text is for display only, and the original bytes are
in base64.
"""

from base64 import b64encode
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, StringConstraints

from trimtab.protocol import limits
from trimtab.protocol.names import Text, TopicName
from trimtab.protocol.quantities import Count, Partition, Timestamp
from trimtab.protocol.reasons import Reason, UndecodableRecord
from trimtab.protocol.record import Record, example

_BASE64_CHARACTERS = (limits.DEAD_LETTER_BYTES + 2) // 3 * 4
_Bytes = Annotated[
    str,
    StringConstraints(max_length=_BASE64_CHARACTERS, pattern=r"^[A-Za-z0-9+/]*={0,2}$"),
    Field(description="The original bytes in base64, the first of them if `truncated`."),
]


class Place(NamedTuple):
    """Where a record stands in Kafka, and when it was appended."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int | None = None


class DeadLetter(Record):
    """A bad record, kept as far as it is useful to look at."""

    model_config = example(
        kind="deadletter",
        reason="invalid",
        detail="owned.3: Input should be a valid tuple",
        topic="trimtab.heartbeats",
        partition=3,
        offset=1_204,
        timestamp_ms=1_767_225_600_000,
        size=148,
        key_b64="YmlsbGluZw==",
        value_b64="eyJ2IjoxfQ==",
        truncated=False,
    )

    kind: Literal["deadletter"] = "deadletter"
    reason: Reason
    detail: Text
    topic: TopicName
    partition: Partition
    offset: Count
    timestamp_ms: Timestamp | None = None
    size: Count = Field(description="Bytes of the original value.")
    key_b64: _Bytes | None = None
    value_b64: _Bytes | None = None
    truncated: bool

    @classmethod
    def of(
        cls,
        error: UndecodableRecord,
        place: Place,
        key: bytes | None,
        value: bytes | None,
        size: int | None = None,
    ) -> Self:
        """Make the dead letter of a record; `size` is needed if `value` is not all of it."""
        size = len(value or b"") if size is None else size
        longest = max(len(key or b""), size)
        return cls(
            reason=error.reason,
            detail=error.detail,
            **place._asdict(),
            size=size,
            key_b64=_head(key),
            value_b64=_head(value),
            truncated=longest > limits.DEAD_LETTER_BYTES,
        )


def _head(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data[: limits.DEAD_LETTER_BYTES]).decode()
