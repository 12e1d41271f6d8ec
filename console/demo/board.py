"""What the controller has published about one group, as far as it has been read.

Three topics make a picture: ``groups`` says how the group stands, ``assignments`` what each member
was told and why, ``history`` what happened. Records are whole, so the newest of a key is all that
counts. Pure: ``follower`` reads the topics, ``screen`` and ``story`` look at the board.
"""

from collections import deque
from dataclasses import dataclass, field

from trimtab.protocol import (
    Assignment,
    Cause,
    Group,
    HistoryRecord,
    MemberSummary,
    read_member_key,
)

_HISTORY = 200
"""History records kept for the screen and the progress lines; the story makes about fifty."""


@dataclass(slots=True)
class Board:
    """The newest of everything."""

    group: Group | None = None
    assignments: dict[str, Assignment] = field(default_factory=dict)
    """By member; gone with the member."""
    causes: dict[tuple[int, int], Cause] = field(default_factory=dict)
    """Why a queue was handed over, by queue and the epoch of the grant that begins."""
    _begun: set[tuple[int, int]] = field(default_factory=set)
    """Grants that are held, or that a holder was told to hand its queue on to."""
    history: deque[HistoryRecord] = field(default_factory=lambda: deque(maxlen=_HISTORY))

    def pin(self, record: Assignment | Group | HistoryRecord) -> None:
        """Take a record in."""
        if isinstance(record, Group):
            self.group = record
        elif isinstance(record, Assignment):
            self.assignments[record.member] = record
            self._explain(record)
        else:
            self.history.append(record)

    def _explain(self, record: Assignment) -> None:
        """Note which grants begin because of a record.

        Grants keep their epoch, and later records repeat them. A standing heir was promised its
        grant long before: what it begins for is what made its holder let go. So a promise is no
        cause, and of a grant that began by a release it is known a decision later.
        """
        given = [(row.id, row.next) for row in record.give if row.next is not None]
        for grant in given + [(row.id, row.epoch) for row in record.hold]:
            if grant not in self._begun:
                self._begun.add(grant)
                self.causes[grant] = record.cause

    def person(self, member: str) -> MemberSummary | None:
        """What the group's summary says of a member."""
        people = () if self.group is None else self.group.people
        return next((it for it in people if it.member == member), None)

    def unpin(self, key: bytes) -> None:
        """Take down the assignment of a member that is gone."""
        self.assignments.pop(read_member_key(key).member, None)

    def is_stable(self, members: int) -> bool:
        """Whether the controller says that so many members have what they should."""
        group = self.group
        return group is not None and group.state == "stable" and group.members == members


def told(cause: Cause) -> str:
    """A cause in two words: what kind of event, and about whom."""
    return cause.kind if cause.subject is None else f"{cause.kind} {cause.subject}"
