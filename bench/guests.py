"""Who lives in the benches' groups and who comes to visit: the records that they send.

In each *host* group a resident owns all queues. A visitor joins (the controller tells the resident
to give half and the visitor to inherit it), the resident releases that half (the visitor becomes
its holder), and the visitor leaves (the resident gets it back). So each visit is one whole
hand-over, there and back: three urgent records, each answered by one record under the visitor's
key. In the *crowd* groups four members each do nothing but beat, once a second.

All of it is the real protocol. Sessions are as long as they may be, because nobody beats while the
floor is measured idle. Used by all benches that need a log. Its one rule: no visitor comes twice,
so that each answer under its key is to the one question that is open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    ROUTES,
    Beat,
    Join,
    Leave,
    Record,
    Release,
    ReleaseRef,
    Route,
    RunRef,
    Topic,
    limits,
    member_key,
)

ORDERS: Final = "bench-orders"
QUEUES: Final = 16
HOSTS: Final = tuple(f"host-{number}" for number in range(8))
"""As many as there are partitions, so that no cell is always warm."""
CROWDS: Final = tuple(f"crowd-{number}" for number in range(50))
CROWD: Final = tuple(f"member-{number}" for number in range(4))
"""50 groups of 4 members, a beat a second each: 200 a second."""

RESIDENT: Final = "resident"
"""Sorts before "visitor": whatever the strategy, it keeps the first queues and gives the last."""

SESSION_MS: Final = limits.DURATION_MS
"""A day: longer than any run. The controller's own limit must be raised to it."""


class Utterance(NamedTuple):
    """A record, and the key under which its answer will stand."""

    topic: Topic[Any]
    group: str
    record: Record
    answer: bytes


@dataclass(frozen=True, slots=True)
class Visitor:
    """Somebody who comes once."""

    group: str
    number: int

    @property
    def name(self) -> str:
        """The member."""
        return f"visitor-{self.number}"

    def joins(self) -> Utterance:
        """Come."""
        return join(self.group, self.name, self.number)

    def is_let_in(self, given: Sequence[ReleaseRef]) -> Utterance:
        """Let the resident release what the visitor is to inherit."""
        release = Release(
            member=RESIDENT,
            incarnation=_incarnation(0),
            sequence=self.number,
            queues=tuple(given),
        )
        return Utterance(RELEASES, self.group, release, member_key(self.group, self.name))

    def leaves(self) -> Utterance:
        """Go."""
        leave = Leave(member=self.name, incarnation=_incarnation(self.number), sequence=2)
        return Utterance(MEMBERS, self.group, leave, member_key(self.group, self.name))


def residents() -> Iterator[Utterance]:
    """Everybody who is there from the beginning joins; the answers come all at once."""
    for group in HOSTS:
        yield join(group, RESIDENT, 0)
    for group in CROWDS:
        for member in CROWD:
            yield join(group, member, 0)


def routes() -> Iterator[Utterance]:
    """The route of each group's topic; to be sent after the joins that ask for it."""
    for group in (*HOSTS, *CROWDS):
        yield route(group)


def beats(sequence: int) -> Iterator[Utterance]:
    """One beat of everybody in the crowds."""
    for group in CROWDS:
        for member in CROWD:
            yield beat(group, member, sequence)


def join(group: str, member: str, number: int) -> Utterance:
    """A member joins in its life of that number."""
    record = Join(
        member=member,
        incarnation=_incarnation(number),
        sequence=1,
        topics=(ORDERS,),
        session_timeout_ms=SESSION_MS,
    )
    return Utterance(MEMBERS, group, record, member_key(group, member))


def beat(group: str, member: str, sequence: int) -> Utterance:
    """A member of a crowd is still there."""
    record = Beat(member=member, incarnation=_incarnation(0), sequence=sequence, epoch=1)
    return Utterance(HEARTBEATS, group, record, member_key(group, member))


def route(group: str) -> Utterance:
    """The queues that a group shares."""
    record = Route(topic=ORDERS, version=1, exists=True, runs=(RunRef("", 0, QUEUES),))
    return Utterance(ROUTES, group, record, group.encode())


def _incarnation(number: int) -> str:
    return f"{1_767_225_600_000 + number}-{number:08x}"
