"""What a member holds, as its guard is told, and the records that end it when its process is dead.

The member says it whenever it changes (`guarding`), and its guard uses it when it is needed
(`post`). Pure. Its one rule: whoever knows that the process is dead may release what it names, and
nobody else.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Literal, Self

from trimtab.protocol import (
    MEMBERS,
    RELEASES,
    HolderRef,
    Leave,
    Release,
    encode,
)
from trimtab.protocol.limits import SAFE_INTEGER
from trimtab.protocol.shelves import ShelvedByTaker
from trimtab.session import MemberSession, Send
from trimtab.session.outbox import in_records

LAST: Final = SAFE_INTEGER
"""The sequence of the very last record of a life: whatever it has sent itself is older."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """One life of a member, and its grants that are worked on or not known to be released."""

    kind: Literal["hold"] = "hold"
    member: str
    incarnation: str
    queues: Annotated[tuple[HolderRef, ...], ShelvedByTaker()]

    @classmethod
    def of(cls, session: MemberSession) -> Self:
        """Say what a session holds now."""
        return cls(
            member=session.profile.member,
            incarnation=session.incarnation,
            queues=session.holdings,
        )

    def releases(self, group: str) -> list[Send]:
        """Say that this life has gone, and release each queue: where it stopped, nobody knows."""
        who, life, key = self.member, self.incarnation, group.encode()
        rows = (it.let_go for it in self.queues)
        last = Release(
            member=who, incarnation=life, sequence=LAST - 1, queues=(), by="guard", gone=True
        )
        portions = list(in_records(rows)) or [()]
        said = (last.model_copy(update={"queues": queues}) for queues in portions)
        return [Send(RELEASES.name, key, encode(it), at) for at, it in enumerate(said, 1)]

    def leave(self, group: str) -> Send:
        """Say that the member works on nothing any more; the releases stand before it."""
        leave = Leave(member=self.member, incarnation=self.incarnation, sequence=LAST)
        return Send(MEMBERS.name, group.encode(), encode(leave), ticket=0)
