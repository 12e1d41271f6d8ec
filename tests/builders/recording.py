"""A recording made by hand: lines as `trimtab replay` and `trimtab check` read them.

recording = Recording()
recording.add("members", join("a"), at=1_000)
recording.cut(1)
run("replay", recording.write())
"""

import json
from pathlib import Path

from tests.builders.log import LIFE, join, route
from trimtab.protocol import (
    Assignment,
    HolderRef,
    Record,
    Release,
    ReleaseRef,
    encode,
    partition_of,
)

GROUP = "billing"
PARTITION = partition_of(GROUP, 8)


class Recording:
    """Lines of a recording."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, topic: str, value: Record | None, at: int, key: str = GROUP) -> None:
        """Add a record."""
        text = None if value is None else encode(value).decode()
        line = {"topic": topic, "partition": PARTITION, "offset": len(self.lines)}
        self.lines.append(json.dumps({**line, "timestamp": at, "key": key, "value": text}))

    def say(self, value: bytes, at: int) -> None:
        """Add a record of a RocketMQ client."""
        line = {"topic": "rocketmq", "partition": 0, "offset": len(self.lines), "timestamp": at}
        self.lines.append(json.dumps({**line, "key": "c", "value": value.decode()}))

    def assignment(
        self, member: str, epoch: int, at: int, cause: str = "join", **rows: list[tuple[int, int]]
    ) -> None:
        """Add a member's assignment."""
        hold, give = (
            tuple(HolderRef("orders", "", number, token) for number, token in rows.get(verb, []))
            for verb in ("hold", "give")
        )
        record = Assignment.model_validate(
            {
                "group": GROUP,
                "member": member,
                "incarnation": LIFE,
                "epoch": epoch,
                "target_epoch": epoch,
                "hold": hold,
                "give": give,
                "inherit": (),
                "revocation_timeout_ms": 60_000,
                "session_timeout_ms": 10_000,
                "heartbeat_interval_ms": 3_000,
                "cause": {"kind": cause, "subject": "a"},
            }
        )
        self.add("assignments", record, at, key=f"{GROUP}/{member}")

    def cut(self, number: int) -> None:
        """End a batch."""
        self.lines.append(json.dumps({"batch": number}))

    def write(self, name: str = "recording.jsonl") -> str:
        """Write it into the working directory."""
        Path(name).write_text("\n".join(self.lines) + "\n")
        return name


def two_join(recording: Recording | None = None) -> Recording:
    """A joins and gets both queues; b joins, and one is to go to it."""
    recording = recording or Recording()
    recording.add("members", join("a"), 1_000)
    recording.add("routes", route(queues=2), 1_100)
    recording.cut(1)
    recording.add("members", join("b"), 2_000)
    return recording


def a_hand_over() -> Recording:
    """A holds a queue, gives it, releases it; b gets it."""
    recording = Recording()
    recording.add("members", join("a"), 1_000)
    recording.add("members", join("b"), 1_000)
    recording.assignment("a", 1, 1_100, hold=[(0, 1)])
    recording.assignment("a", 2, 2_000, give=[(0, 1)])
    let_go = Release(
        member="a", incarnation=LIFE, sequence=4, queues=(ReleaseRef("orders", "", 0, 1, None),)
    )
    recording.add("releases", let_go, 2_100)
    recording.assignment("b", 3, 2_200, hold=[(0, 3)])
    return recording
