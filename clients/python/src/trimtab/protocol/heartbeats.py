"""Topic `heartbeats`, keyed by group: the routine records. Members beat, the controller ticks.

A tick at an offset proves that every earlier beat of its partition has been read, and so makes
"silent for ten seconds" exact. Ticks are keyed "$tick", which cannot be a group's name.
"""

from typing import Literal

from pydantic import Field

from trimtab.protocol.names import Incarnation, Label
from trimtab.protocol.quantities import Count, Epoch
from trimtab.protocol.queues import Grants
from trimtab.protocol.record import MemberRecord, Record, example


class Beat(MemberRecord):
    """I am here, and this is what I work on."""

    model_config = example(
        kind="beat",
        member="worker-1",
        incarnation="1767225600000-9f86d081",
        sequence=7,
        epoch=3,
        owned=[{"topic": "orders", "queues": [[0, 3], [1, 2]]}],
    )

    kind: Literal["beat"] = "beat"
    epoch: Epoch = Field(description="Epoch of the last assignment acted on; 0: none yet.")
    owned: Grants | None = Field(
        default=None,
        description="The queues I work on, each once; absent or null: as in my last beat.",
    )


class Tick(Record):
    """One second of log time, by the controller's driver, on every partition.

    It also says how far the controller had come when it was written: time that went by while the
    controller was behind is not counted.
    """

    model_config = example(
        kind="tick",
        controller="controller-1",
        number=4711,
        start="1767312000000-0b5e55ed",
        seen=4710,
    )

    kind: Literal["tick"] = "tick"
    controller: Label
    number: Count
    start: Incarnation | None = Field(default=None, description="Which start of a controller.")
    seen: Count | None = Field(
        default=None,
        description="The last tick of this partition and start that had been read, with all that "
        "was decided by it written, when this one was sent; null: none.",
    )


HeartbeatsRecord = Beat | Tick
