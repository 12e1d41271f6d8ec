"""Quantities of the wire, with their ranges. The units are in the field names.

Any client may send numbers, so each has a smallest and a largest value before it is used: epochs
and sequences that every JSON reader keeps exactly, timeouts that make sense, counts that fit a
record.
Used by every model. Its one rule: a number without a range is not a field.
"""

from typing import Annotated

from pydantic import Field

from trimtab.protocol import limits

Count = Annotated[int, Field(ge=0, le=limits.SAFE_INTEGER)]
Epoch = Annotated[
    int,
    Field(ge=0, le=limits.SAFE_INTEGER, description="The group's clock of decisions; 0 is none."),
]
EpochReached = Annotated[
    int, Field(ge=0, le=limits.EPOCH_REACHED, description="An epoch that leaves others above it.")
]
"""What others than the controller may say that is: it goes on above that."""
Sequence = Annotated[
    int,
    Field(
        ge=0,
        le=limits.SAFE_INTEGER,
        description="Grows by one with each record that one incarnation of a member sends.",
    ),
]
Timestamp = Annotated[
    int, Field(ge=0, le=limits.SAFE_INTEGER, description="Log time, ms since 1970-01-01 UTC.")
]
QueueId = Annotated[int, Field(ge=-1, le=limits.QUEUE_ID)]
"""-1 is real: RocketMQ's POP assignment names a whole broker so."""
Partition = Annotated[int, Field(ge=0, le=limits.PARTITION)]
Position = Annotated[int, Field(ge=0, le=limits.POSITION)]
Timeout = Annotated[int, Field(ge=limits.MIN_TIMEOUT_MS, le=limits.DURATION_MS)]
Duration = Annotated[int, Field(ge=0, le=limits.DURATION_MS)]
Latency = Annotated[float, Field(ge=0, le=limits.DURATION_MS)]
ShareNumber = Annotated[int, Field(ge=-1, le=limits.SAFE_INTEGER)]
"""-1 is RocketMQ's word for all."""
Weight = Annotated[int, Field(ge=1, le=limits.WEIGHT)]
