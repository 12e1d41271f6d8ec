"""Topic `routes`, keyed by group: the queues of the topics that the group asks for.

Queues come as runs `[broker, first_id, length]`, because their numbers nearly always start at 0
without gaps: a topic of 1,000 partitions is one run. Only controllers write here; a controller that
starts also writes here what it found published (`adoption`).
"""

from itertools import pairwise
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from trimtab.protocol import limits
from trimtab.protocol.adoption import Adopt, Advance, Start, Told
from trimtab.protocol.names import BrokerName, Label, TopicName
from trimtab.protocol.quantities import Count
from trimtab.protocol.record import Record, example
from trimtab.protocol.shelves import Row


class RunRef(NamedTuple):
    """`length` queues of one broker, numbered upwards from `first_id`."""

    broker: BrokerName
    first_id: Annotated[int, Field(ge=0, le=limits.QUEUE_ID)]
    length: Annotated[int, Field(ge=1, le=limits.QUEUES_PER_RECORD)]

    @property
    def ids(self) -> range:
        """The number of each of its queues."""
        return range(self.first_id, self.first_id + self.length)


class RackRef(NamedTuple):
    """`length` queues, numbered upwards from `first_id`, that have replicas in the same racks."""

    racks: Annotated[tuple[Label, ...], Field(max_length=limits.RACKS_PER_QUEUE)]
    first_id: Annotated[int, Field(ge=0, le=limits.QUEUE_ID)]
    length: Annotated[int, Field(ge=1, le=limits.QUEUES_PER_RECORD)]


def _apart(runs: tuple[RunRef, ...]) -> tuple[RunRef, ...]:
    """Runs may not overlap, pass the last id, or be more queues than a record could grant."""
    if sum(run.length for run in runs) > limits.QUEUES_PER_RECORD:
        raise PydanticCustomError("too_many_queues", "The runs have too many queues")
    if any(run.ids[-1] > limits.QUEUE_ID for run in runs):
        raise PydanticCustomError("queue_id_too_large", "A run passes the largest queue id")
    ordered = sorted(runs)
    for one, next_one in pairwise(ordered):
        if one.broker == next_one.broker and one.ids[-1] >= next_one.first_id:
            raise PydanticCustomError("repeated_queue", "A queue is named twice")
    return runs


class Route(Record):
    """The queues of one topic, as of `version`; members wait for a topic that does not exist."""

    model_config = example(
        kind="route", topic="orders", version=1_767_225_600_000, exists=True, runs=[["", 0, 16]]
    )

    kind: Literal["route"] = "route"
    topic: TopicName
    version: Count = Field(description="Grows with every change; the larger one is true.")
    exists: bool
    generation: Label | None = Field(
        default=None,
        description="The id of the topic: one that was deleted and created again has another.",
    )
    runs: Annotated[
        tuple[Annotated[RunRef, Row()], ...],
        Field(max_length=limits.RUNS_PER_ROUTE, fail_fast=True),
        AfterValidator(_apart),
    ]
    racks: (
        Annotated[
            tuple[Annotated[RackRef, Row()], ...],
            Field(max_length=limits.RACK_RUNS_PER_ROUTE, fail_fast=True),
        ]
        | None
    ) = Field(
        default=None,
        description="Where replicas of the queues without a broker stand; absent: nobody can tell "
        "now, and what was said before stays true.",
    )


RoutesRecord = Route | Adopt | Advance | Start | Told
