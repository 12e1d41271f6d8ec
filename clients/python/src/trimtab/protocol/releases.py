"""Topic `releases`, keyed by group: the baton.

A holder lets queues go. The heir starts when it reads that, and the controller books it.
"""

from typing import Literal

from trimtab.protocol.queues import Releases
from trimtab.protocol.record import MemberRecord, example


class Release(MemberRecord):
    """I no longer work on these queues, and never again under these epochs."""

    model_config = example(
        kind="release",
        member="worker-1",
        incarnation="1767225600000-9f86d081",
        sequence=42,
        queues=[{"topic": "orders", "queues": [[1, 3, 18_250], [5, 3, None]]}],
    )

    kind: Literal["release"] = "release"
    queues: Releases
