"""Topic `releases`, keyed by group: grants end, and heirs may begin.

A holder lets queues go, or one that knows that the holder has stopped says so for it. Each row
names the one grant that may begin now: its epoch and, where nobody may have been promised that, its
life. Of all releases of a grant the first in the log counts. One without queues is a mark.
"""

from typing import Literal

from pydantic import Field

from trimtab.protocol.queues import Releases
from trimtab.protocol.record import MemberRecord, example


class Release(MemberRecord):
    """I no longer work on these queues, and never again under these epochs."""

    model_config = example(
        kind="release",
        member="worker-1",
        incarnation="1767225600000-9f86d081",
        sequence=42,
        queues={
            "to": [["worker-2", "1767225602000-5e6f7a8b"]],
            "queues": [
                {
                    "topic": "orders",
                    "queues": [[1, 3, 18_250, 4], [2, 3, None, 5, 0], [5, 3, None, None]],
                }
            ],
        },
    )

    kind: Literal["release"] = "release"
    queues: Releases = Field(
        description="Each once: two releases of one queue, under two epochs, are two records."
    )
    by: Literal["controller", "guard"] | None = Field(
        default=None, description="Who says so. Absent: the member itself."
    )
    gone: Literal[True] | None = Field(
        default=None, description="This life leaves, or is dead: let nobody name it any more."
    )
