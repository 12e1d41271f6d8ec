"""The groups of the benches, and the members that come and go: the records that they send.

In each *host* group a resident owns all queues. A visitor joins (the controller tells the resident
to give half and the visitor to inherit it), the resident releases that half (the visitor becomes
its holder), and the visitor leaves (the resident gets it back). So each visit is one whole
hand-over, there and back: three urgent records, each answered by one record under the visitor's
key. In the *crowd* groups four members each do nothing but beat, once a second.

Of brokers there is a *suspect*: reported as bad, judged, restored and forgotten.

All of it is the real protocol. Sessions are as long as they may be, because nobody beats while the
floor is measured idle. Used by all benches that need a log. Its one rule: no visitor comes twice,
so that each answer under its key is to the one question that is open.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from trimtab.protocol import (
    COMMANDS,
    HEARTBEATS,
    LATENCY,
    MEMBERS,
    RELEASES,
    ROUTES,
    Beat,
    BrokerLatency,
    Forget,
    Join,
    Leave,
    Record,
    Release,
    ReleaseRef,
    Report,
    Restore,
    Route,
    RunRef,
    Topic,
    broker_key,
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

CLUSTER: Final = "bench"
BROKERS_AT_WORK: Final = tuple(f"broker-{number}" for number in range(4))
ACCUSERS: Final = ("witness-1", "witness-2")
"""As many as the jury's quorum asks for by default."""
BYSTANDER: Final = "witness-3"

SESSION_MS: Final = limits.DURATION_MS
"""A day: longer than any run. The controller's own limit must be raised to it."""


class Question(NamedTuple):
    """A record, and the key under which its answer will stand."""

    topic: Topic[Any]
    group: str
    """Or the cluster: what says which partition it is in."""
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

    def joins(self) -> Question:
        """Come."""
        return join(self.group, self.name, self.number)

    def is_let_in(self, given: Sequence[ReleaseRef]) -> Question:
        """Let the resident release what the visitor is to inherit."""
        release = Release(
            member=RESIDENT,
            incarnation=_incarnation(0),
            sequence=self.number,
            queues=tuple(given),
        )
        return Question(RELEASES, self.group, release, member_key(self.group, self.name))

    def leaves(self) -> Question:
        """Go."""
        leave = Leave(member=self.name, incarnation=_incarnation(self.number), sequence=2)
        return Question(MEMBERS, self.group, leave, member_key(self.group, self.name))


@dataclass(frozen=True, slots=True)
class Suspect:
    """A broker that fails once, is taken out of use, put back and forgotten."""

    number: int

    @property
    def name(self) -> str:
        """The broker."""
        return f"suspect-{self.number}"

    def is_accused(self) -> list[Question]:
        """A quorum reports that every call to it failed."""
        failed = _seen(self.name, errors=20)
        return [self._report(witness, witness, failed) for witness in ACCUSERS]

    def is_judged(self) -> Question:
        """Somebody else reports, after the sweep's end: now the votes are counted."""
        return self._report(BYSTANDER, self.name)

    def is_restored(self) -> Question:
        """An operator puts it back."""
        order = Restore(id=f"r{self.number}", principal="bench", reason="fine", broker=self.name)
        return Question(COMMANDS, CLUSTER, order, broker_key(CLUSTER, self.name))

    def is_forgotten(self) -> Question:
        """An operator removes it, so that there is room for the next one."""
        order = Forget(id=f"f{self.number}", principal="bench", reason="gone", broker=self.name)
        return Question(COMMANDS, CLUSTER, order, broker_key(CLUSTER, self.name))

    def _report(self, witness: str, about: str, *further: BrokerLatency) -> Question:
        """Say what a witness saw; the answer is about a broker, or goes where nobody looks."""
        report = Report(
            reporter=witness,
            incarnation=_incarnation(0),
            sequence=self.number,
            window_ms=1_000,
            brokers=(*(_seen(broker, errors=0) for broker in BROKERS_AT_WORK), *further),
        )
        return Question(LATENCY, CLUSTER, report, broker_key(CLUSTER, about))


def _seen(broker: str, *, errors: int) -> BrokerLatency:
    return BrokerLatency(broker=broker, count=20, errors=errors, p50_ms=5, p99_ms=9, max_ms=31)


def residents() -> Iterator[Question]:
    """Everybody who is there from the beginning joins; the answers come all at once."""
    for group in HOSTS:
        yield join(group, RESIDENT, 0)
    for group in CROWDS:
        for member in CROWD:
            yield join(group, member, 0)


def routes() -> Iterator[Question]:
    """The route of each group's topic; to be sent after the joins that ask for it."""
    for group in (*HOSTS, *CROWDS):
        yield route(group)


def beats(sequence: int) -> Iterator[Question]:
    """One beat of everybody in the crowds."""
    for group in CROWDS:
        for member in CROWD:
            yield beat(group, member, sequence)


def join(group: str, member: str, number: int) -> Question:
    """A member joins in its life of that number."""
    record = Join(
        member=member,
        incarnation=_incarnation(number),
        sequence=1,
        topics=(ORDERS,),
        session_timeout_ms=SESSION_MS,
    )
    return Question(MEMBERS, group, record, member_key(group, member))


def beat(group: str, member: str, sequence: int) -> Question:
    """A member of a crowd is still there."""
    record = Beat(member=member, incarnation=_incarnation(0), sequence=sequence, epoch=1)
    return Question(HEARTBEATS, group, record, member_key(group, member))


def route(group: str) -> Question:
    """The queues that a group shares."""
    record = Route(topic=ORDERS, version=1, exists=True, runs=(RunRef("", 0, QUEUES),))
    return Question(ROUTES, group, record, group.encode())


def _incarnation(number: int) -> str:
    return f"{1_767_225_600_000 + number}-{number:08x}"
