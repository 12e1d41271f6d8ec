"""The groups of the benches, and the members that come and go: the records that they send.

In each *measured* group a holder owns all queues. A newcomer joins (the controller tells the holder
to give half and the newcomer to inherit it), the holder releases that half (the newcomer becomes
its holder), and the newcomer leaves (the holder gets it back). So each trial is one whole
hand-over, there and back: three urgent records, each answered by one record under the newcomer's
key. In the *background* groups four members each do nothing but beat, once a second.

There is also a *bad broker*: reported, judged, restored and forgotten.

All of it is the real protocol. Sessions are as long as they may be, because nobody beats while the
floor is measured idle. Used by all benches that need a log. Its one rule: no newcomer comes twice,
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
MEASURED: Final = tuple(f"measured-{number}" for number in range(8))
"""As many as there are partitions, so that no cell is always warm."""
BACKGROUND: Final = tuple(f"background-{number}" for number in range(50))
BACKGROUND_MEMBERS: Final = tuple(f"member-{number}" for number in range(4))
"""50 groups of 4 members, a beat a second each: 200 a second."""

HOLDER: Final = "holder"
"""Sorts before "newcomer": whatever the strategy, it keeps the first queues and gives the last."""

CLUSTER: Final = "bench"
BROKERS_AT_WORK: Final = tuple(f"broker-{number}" for number in range(4))
REPORTERS: Final = ("reporter-1", "reporter-2")
"""As many as the jury's quorum asks for by default."""
LAST_REPORTER: Final = "reporter-3"

_MARK: Final = 2
"""The number of a life's mark, which goes out after its join."""

SESSION_MS: Final = limits.DURATION_MS
"""A day: longer than any run. The controller's own limit must be raised to it."""


class Question(NamedTuple):
    """A record, and the key under which its answer will stand."""

    topic: Topic[Any]
    group: str
    """Or the cluster: what says which partition it is in."""
    record: Record
    answer: bytes = b""
    """Empty: it has none."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A member that comes once."""

    group: str
    number: int

    @property
    def name(self) -> str:
        """The member."""
        return f"newcomer-{self.number}"

    def joins(self) -> list[Question]:
        """Come."""
        return join(self.group, self.name, self.number)

    def is_let_in(self, given: Sequence[ReleaseRef]) -> Question:
        """Let the holder release what it was told to give to the newcomer."""
        release = Release(
            member=HOLDER,
            incarnation=_incarnation(0),
            sequence=_MARK + self.number,
            queues=tuple(given),
        )
        return Question(RELEASES, self.group, release, member_key(self.group, self.name))

    def leaves(self, held: Sequence[ReleaseRef] = ()) -> list[Question]:
        """Let go of all that it has, and go: otherwise the controller has to, in one batch more."""
        life = _incarnation(self.number)
        freed = Release(
            member=self.name,
            incarnation=life,
            sequence=_MARK + 1,
            queues=tuple(held),
            gone=True,
        )
        leave = Leave(member=self.name, incarnation=life, sequence=_MARK + 2)
        return [
            Question(RELEASES, self.group, freed),
            Question(MEMBERS, self.group, leave, member_key(self.group, self.name)),
        ]


@dataclass(frozen=True, slots=True)
class BadBroker:
    """A broker that fails once, is taken out of use, put back and forgotten."""

    number: int

    @property
    def name(self) -> str:
        """The broker."""
        return f"bad-{self.number}"

    def is_reported_bad(self) -> list[Question]:
        """A quorum reports that every call to it failed."""
        failed = _seen(self.name, errors=20)
        return [self._report(reporter, reporter, failed) for reporter in REPORTERS]

    def is_judged(self) -> Question:
        """Another reporter reports, after the sweep's end: now the votes are counted."""
        return self._report(LAST_REPORTER, self.name)

    def is_restored(self) -> Question:
        """An operator puts it back."""
        command = Restore(id=f"r{self.number}", principal="bench", reason="fine", broker=self.name)
        return Question(COMMANDS, CLUSTER, command, broker_key(CLUSTER, self.name))

    def is_forgotten(self) -> Question:
        """An operator removes it, so that there is room for the next one."""
        command = Forget(id=f"f{self.number}", principal="bench", reason="gone", broker=self.name)
        return Question(COMMANDS, CLUSTER, command, broker_key(CLUSTER, self.name))

    def _report(self, reporter: str, about: str, *further: BrokerLatency) -> Question:
        """Say what a reporter saw; the answer is about a broker, or goes where nobody looks."""
        report = Report(
            reporter=reporter,
            incarnation=_incarnation(0),
            sequence=self.number,
            window_ms=1_000,
            brokers=(*(_seen(broker, errors=0) for broker in BROKERS_AT_WORK), *further),
        )
        return Question(LATENCY, CLUSTER, report, broker_key(CLUSTER, about))


def _seen(broker: str, *, errors: int) -> BrokerLatency:
    return BrokerLatency(broker=broker, count=20, errors=errors, p50_ms=5, p99_ms=9, max_ms=31)


def first_joins() -> Iterator[Question]:
    """All members that are there from the beginning join; the answers come all at once."""
    for group in MEASURED:
        yield from join(group, HOLDER, 0)
    for group in BACKGROUND:
        for member in BACKGROUND_MEMBERS:
            yield from join(group, member, 0)


def routes() -> Iterator[Question]:
    """The route of each group's topic; to be sent after the joins that ask for it."""
    for group in (*MEASURED, *BACKGROUND):
        yield route(group)


def beats(sequence: int) -> Iterator[Question]:
    """One beat of each member of the background groups."""
    for group in BACKGROUND:
        for member in BACKGROUND_MEMBERS:
            yield beat(group, member, sequence)


def join(group: str, member: str, number: int) -> list[Question]:
    """A member joins in its life of that number, and marks the releases at the same moment.

    Nothing is promised to a life before its mark is read.
    """
    life = _incarnation(number)
    record = Join(
        member=member,
        incarnation=life,
        sequence=1,
        topics=(ORDERS,),
        session_timeout_ms=SESSION_MS,
        marks=True,
    )
    mark = Release(member=member, incarnation=life, sequence=_MARK, queues=())
    return [
        Question(MEMBERS, group, record, member_key(group, member)),
        Question(RELEASES, group, mark),
    ]


def beat(group: str, member: str, sequence: int) -> Question:
    """A member of a background group is still there."""
    record = Beat(member=member, incarnation=_incarnation(0), sequence=sequence, epoch=1)
    return Question(HEARTBEATS, group, record, member_key(group, member))


def route(group: str) -> Question:
    """The queues that a group shares."""
    record = Route(topic=ORDERS, version=1, exists=True, runs=(RunRef("", 0, QUEUES),))
    return Question(ROUTES, group, record, group.encode())


def _incarnation(number: int) -> str:
    return f"{1_767_225_600_000 + number}-{number:08x}"
