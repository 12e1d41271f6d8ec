"""Records of the log, written before it is known where in the log they will stand.

Each function returns a record that becomes an event once it is stamped. A sequence number that a
test does not care for is the record's place in the log, which grows as it must.
"""

from collections.abc import Callable, Iterable
from typing import TypedDict, Unpack

from rebalance.groups.model.commands import Command
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import (
    Adopted,
    Advanced,
    BeatSeen,
    Commanded,
    DrainAsked,
    Event,
    Joined,
    Left,
    MemberEvent,
    Mode,
    Registered,
    Released,
    RouteObserved,
    Unregistered,
)
from rebalance.groups.model.overrides import NOTHING_SET, Settings
from rebalance.ids import (
    BrokerName,
    Epoch,
    InstanceId,
    Life,
    MemberId,
    Millis,
    Pattern,
    Position,
    Queue,
    TopicName,
)
from rebalance.racks import RackRun
from rebalance.stamp import Stamp
from tests.builders.notation import NO_LIFE, claims, life, namings

Record = Callable[[Stamp], Event]
MemberRecord = Callable[[Stamp], MemberEvent]
RouteRecord = Callable[[Stamp], RouteObserved]


def at(clock: int, offset: int = 0, *, heard: int | None = None) -> Stamp:
    """Return a stamp at this reading of the log clock."""
    now = Millis(clock)
    then = now if heard is None else Millis(heard)
    return Stamp(now, then, now, Position(TopicName("log"), 0, offset))


class Further(TypedDict, total=False):
    """What few members say of themselves."""

    instance: InstanceId | None
    rack: str
    weight: int
    capacity: int | None
    mode: Mode
    eager: bool
    patterns: frozenset[Pattern]
    last_epoch: Epoch
    marks: bool
    guarded: bool
    on_hold_alone: bool


def joined(
    who: str,
    topics: str = "orders",
    *,
    sequence: int | None = None,
    session_ms: int | None = None,
    revocation_ms: int | None = None,
    **further: Unpack[Further],
) -> MemberRecord:
    """A member joins; ``topics`` are separated by spaces."""
    wanted = frozenset(TopicName(topic) for topic in topics.split())
    return lambda stamp: Joined(
        stamp,
        life(who),
        sequence=_sequence(sequence, stamp),
        topics=wanted,
        session_timeout_ms=_millis(session_ms),
        revocation_timeout_ms=_millis(revocation_ms),
        **further,
    )


def wild(patterns: str) -> frozenset[Pattern]:
    """Read patterns of topics: ``orders-* pay?``."""
    return frozenset(map(Pattern, patterns.split()))


def registered(
    who: str,
    topics: str | None = "orders",
    *,
    mode: Mode = Mode.CLUSTERING,
    groups_hash: int = 0,
    doubled: bool = False,
) -> Callable[[Stamp], Registered]:
    """A RocketMQ client says what it always says; no ``topics``: as before."""
    member = MemberId(who)
    wanted = None if topics is None else frozenset(map(TopicName, topics.split()))
    session = Millis(120_000)
    return lambda stamp: Registered(
        stamp, Life(member, NO_LIFE), wanted, mode, session, groups_hash, doubled
    )


def unregistered(who: str) -> Callable[[Stamp], Unregistered]:
    """A RocketMQ client leaves."""
    return lambda stamp: Unregistered(stamp, Life(MemberId(who), NO_LIFE))


def beat_of(
    who: str, *, epoch: int = 0, owned: str | None = None, sequence: int | None = None
) -> Callable[[Stamp], BeatSeen]:
    """A member beats; ``owned`` is written as ``orders-0@3 orders-1@3``, None is "unchanged"."""
    listed = None if owned is None else claims(owned)
    return lambda stamp: BeatSeen(
        stamp, life(who), _sequence(sequence, stamp), Epoch(epoch), listed
    )


def drained(who: str, *, sequence: int | None = None) -> MemberRecord:
    """A member announces that it wants to go."""
    return lambda stamp: DrainAsked(stamp, life(who), _sequence(sequence, stamp))


def left(who: str, *, sequence: int | None = None, temporary: bool = False) -> MemberRecord:
    """A member says that it is gone."""
    return lambda stamp: Left(stamp, life(who), _sequence(sequence, stamp), temporary)


def commanded(command: Command, *, name: str | None = None, base: int | None = None) -> Record:
    """Ann gives a command; each has an id of its own unless it is given."""
    epoch = None if base is None else Epoch(base)
    return lambda stamp: Commanded(
        stamp, name or f"c{stamp.position.offset}", "ann", "because", command, epoch
    )


def released(
    who: str, grants: str, *, own: bool = True, sequence: int = -1
) -> Callable[[Stamp], Released]:
    """A member lets go; ``grants`` is written as ``orders-0@3 orders-1@3``."""
    return lambda stamp: Released(stamp, life(who), namings(grants), own, sequence)


def marked(who: str) -> Callable[[Stamp], Released]:
    """A member shows that it reads the releases: it writes one without queues."""
    return released(who, "")


def routed(
    topic: str,
    queues: int,
    *,
    version: int = 1,
    exists: bool = True,
    generation: str = "",
    racks: tuple[RackRun, ...] | None = None,
) -> RouteRecord:
    """The watcher saw this many queues of a topic."""
    name = TopicName(topic)
    seen = tuple(Queue(name, BrokerName(""), number) for number in range(queues))
    return lambda stamp: RouteObserved(stamp, name, version, exists, seen, generation, racks)


def missing(topic: str, *, version: int = 1) -> RouteRecord:
    """The watcher found no such topic."""
    return routed(topic, 0, version=version, exists=False)


def found(issued: AssignmentIssued, *, start: str = "1") -> Callable[[Stamp], Adopted]:
    """A controller that starts finds a member's record published."""
    return lambda stamp: Adopted(
        stamp,
        issued.life,
        start,
        issued.epoch,
        issued.portion,
        issued.session_timeout_ms,
        issued.revocation_timeout_ms,
        issued.mode,
    )


def advanced(
    epoch: int,
    *,
    decided: int = 0,
    start: str = "1",
    settings: Settings = NOTHING_SET,
    draining: Iterable[MemberId] | None = None,
) -> Callable[[Stamp], Advanced]:
    """It finds that the group stood at an epoch, and what was known and commanded by then."""
    drained = None if draining is None else frozenset(draining)
    return lambda stamp: Advanced(stamp, start, Epoch(epoch), Millis(decided), 0, settings, drained)


def _sequence(wanted: int | None, stamp: Stamp) -> int:
    return stamp.position.offset if wanted is None else wanted


def _millis(wanted: int | None) -> Millis | None:
    return None if wanted is None else Millis(wanted)
