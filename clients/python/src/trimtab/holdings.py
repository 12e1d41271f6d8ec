"""What a member holds, as its guard is told, and the records that end it when its process is dead.

The member says it whenever it changes (`guarding`), and its guard uses it when it is needed
(`post`). Pure. Its one rule: whoever knows that the process is dead may release what it names, and
nobody else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

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
from trimtab.protocol.shelves import Shelved
from trimtab.session import MemberSession, Send

LAST: Final = SAFE_INTEGER
"""The sequence of the very last record of a life: whatever it has sent itself is older."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """One life of a member, and its grants that are worked on or not known to be released."""

    kind: Literal["hold"] = "hold"
    member: str
    incarnation: str
    queues: Annotated[tuple[HolderRef, ...], Shelved()]

    @classmethod
    def of(cls, session: MemberSession) -> Self:
        """Say what a session holds now."""
        return cls(
            member=session.profile.member,
            incarnation=session.incarnation,
            queues=session.holdings,
        )

    def releases(self, group: str) -> list[Send]:
        """Release each queue to its next; where the member stopped, nobody knows."""
        who, life, key = self.member, self.incarnation, group.encode()
        portions = [
            Release(member=who, incarnation=life, sequence=LAST - 1, queues=queues, by="guard")
            for queues in _portions(self.queues)
        ]
        return [Send(RELEASES.name, key, encode(it), at) for at, it in enumerate(portions, 1)]

    def leave(self, group: str) -> Send:
        """Say that the member works on nothing any more; the releases stand before it."""
        leave = Leave(member=self.member, incarnation=self.incarnation, sequence=LAST)
        return Send(MEMBERS.name, group.encode(), encode(leave), ticket=0)


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
