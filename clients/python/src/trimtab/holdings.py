"""What a member holds, as its guard is told, and the records that end it when its process is dead.

The member keeps this in a small file, and its guard reads it when it is needed: `guarding` writes,
`guard` reads. Both are programs of one version on one machine, so the form is no contract. Pure.
Its one rule: whoever knows that the process is dead may release what it names, and nobody else.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

from trimtab.protocol import (
    MEMBERS,
    RELEASES,
    HolderRef,
    Leave,
    QueueRef,
    Release,
    ReleaseRef,
    encode,
)
from trimtab.protocol.limits import QUEUES_PER_RECORD, SAFE_INTEGER
from trimtab.session import MemberSession, Send
from trimtab.transports import Client

LAST: Final = SAFE_INTEGER
"""The sequence of the very last record of a life: whatever it has sent itself is older."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Where a guard stands: its way to Kafka, whose guard it is, and what it reads."""

    servers: str
    prefix: str
    client: Client | None
    kafka: Mapping[str, Any]
    group: str
    patience_ms: int
    """For a record to arrive: after that the controller takes the member for dead anyway."""
    path: str
    """Of the file."""

    def written(self) -> bytes:
        """Write it as one line; TypeError if an option of the client cannot be written."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def read(cls, line: bytes) -> Self:
        """Read it."""
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True)
class Holdings:
    """One life of a member, and its grants that are worked on or not known to be released."""

    group: str
    member: str
    incarnation: str
    rows: tuple[HolderRef, ...]

    @classmethod
    def of(cls, session: MemberSession) -> Self:
        """Say what a session holds now."""
        who = session.profile
        return cls(who.group, who.member, session.incarnation, session.holdings)

    def written(self) -> bytes:
        """Write it."""
        return json.dumps([getattr(self, field.name) for field in fields(self)]).encode()

    @classmethod
    def read(cls, written: bytes) -> Self:
        """Read it."""
        group, member, incarnation, rows = json.loads(written)
        return cls(group, member, incarnation, tuple(HolderRef(*row) for row in rows))

    def releases(self) -> list[Send]:
        """Release each queue to its next; where the member stopped, nobody knows."""
        who, life, key = self.member, self.incarnation, self.group.encode()
        portions = [
            Release(member=who, incarnation=life, sequence=LAST - 1, queues=queues, by="guard")
            for queues in _portions(self.rows)
        ]
        return [Send(RELEASES.name, key, encode(it), at) for at, it in enumerate(portions, 1)]

    def leave(self) -> Send:
        """Say that the member works on nothing any more; the releases stand before it."""
        leave = Leave(member=self.member, incarnation=self.incarnation, sequence=LAST)
        return Send(MEMBERS.name, self.group.encode(), encode(leave), ticket=0)


def _portions(rows: tuple[HolderRef, ...]) -> Iterator[tuple[ReleaseRef, ...]]:
    """Cut into records: as large as may be, and none names a queue twice."""
    portion: dict[QueueRef, ReleaseRef] = {}
    for row in rows:
        if row.queue in portion or len(portion) == QUEUES_PER_RECORD:
            yield tuple(portion.values())
            portion = {}
        portion[row.queue] = ReleaseRef(*row.queue, row.epoch, None, row.next)
    if portion:
        yield tuple(portion.values())
