"""The records of one incarnation on their way out: numbered, tracked, repeated until they are in.

Beats are not repeated, because the next one says more. The session repeats joins until they are
answered, and marks until they are read back. Releases and drains must arrive, so they are kept
until Kafka has them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, TypedDict

from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    Beat,
    Drain,
    HolderRef,
    Join,
    Leave,
    LifeRef,
    QueueRef,
    Release,
    ReleaseRef,
    encode,
)
from trimtab.protocol.limits import QUEUES_PER_RECORD
from trimtab.session.actions import Send

_AT_ONCE: Final = QUEUES_PER_RECORD // 2
"""So many queues are released in one record. A row with a position and the next grant may be longer
than the controller reckons with when it takes queues in; half of the queues fit all the same."""

_NAMED_AT_ONCE: Final = 200
"""So many lives are named in one record: of the longest names they take a fifth of it."""

Outgoing = Join | Drain | Leave | Beat | Release


def in_records(rows: Iterable[ReleaseRef]) -> Iterator[tuple[ReleaseRef, ...]]:
    """Cut releases into records: none is too long, and none names a queue twice."""
    portion: dict[QueueRef, ReleaseRef] = {}
    takers = set[LifeRef]()
    for row in rows:
        if row.queue in portion or len(portion) == _AT_ONCE or len(takers) == _NAMED_AT_ONCE:
            yield tuple(portion.values())
            portion, takers = {}, set()
        portion[row.queue] = row
        takers |= set() if row.to is None else {row.to}
    if portion:
        yield tuple(portion.values())


class Signature(TypedDict):
    """What every record of a member begins with."""

    member: str
    incarnation: str
    sequence: int


class Outbox:
    """Gives every record its sequence and its ticket."""

    def __init__(self, group: str, first_ticket: int = 1) -> None:
        self._key = group.encode()
        self._ticket = first_ticket
        self._sequence = 0
        self._unconfirmed: dict[int, Drain | Release] = {}
        self._failed: list[Drain | Release] = []

    @property
    def next_ticket(self) -> int:
        """The ticket of the next record; never used twice in a session."""
        return self._ticket

    @property
    def next_sequence(self) -> int:
        """The sequence of the next record."""
        return self._sequence + 1

    def signature(self, life: LifeRef) -> Signature:
        """Sign the next record."""
        return {
            "member": life.member,
            "incarnation": life.incarnation,
            "sequence": self.next_sequence,
        }

    @property
    def confirmed(self) -> bool:
        """Whether everything that must arrive has arrived."""
        return not self._unconfirmed and not self._failed

    @property
    def holdings(self) -> tuple[HolderRef, ...]:
        """What was said to be released, and is not known to be in the log."""
        records = (*self._unconfirmed.values(), *self._failed)
        rows = (row for it in records if isinstance(it, Release) for row in it.queues)
        return tuple(HolderRef(*row.queue, row.epoch, row.next, row.to) for row in rows)

    def post(self, record: Outgoing) -> Send:
        """Send a record that carries `next_sequence`."""
        ticket = self._ticket
        self._ticket += 1
        self._sequence = record.sequence
        if isinstance(record, Drain) or (isinstance(record, Release) and record.queues):
            self._unconfirmed[ticket] = record
        return Send(_topic_of(record), self._key, encode(record), ticket)

    def release(
        self, life: LifeRef, rows: Sequence[ReleaseRef], gone: Literal[True] | None = None
    ) -> Iterator[Send]:
        """Send releases, in as many records as they need."""
        for queues in in_records(rows):
            yield self.post(Release(**self.signature(life), queues=queues, gone=gone))

    def acknowledged(self, ticket: int) -> None:
        """Kafka has a record."""
        self._unconfirmed.pop(ticket, None)

    def failed(self, ticket: int) -> None:
        """A record did not arrive."""
        record = self._unconfirmed.pop(ticket, None)
        if record is not None:
            self._failed.append(record)

    def post_again(self) -> list[Send]:
        """Send what failed, under new numbers."""
        failed, self._failed = self._failed, []
        return [
            self.post(record.model_copy(update={"sequence": self.next_sequence}))
            for record in failed
        ]


def _topic_of(record: Outgoing) -> str:
    match record:
        case Beat():
            return HEARTBEATS.name
        case Release():
            return RELEASES.name
        case Join() | Drain() | Leave():
            return MEMBERS.name
