"""Spelling: what the explorer says in integers, as the records that a session reads and writes.

Used by ``members``. Each number has one spelling.
"""

from collections.abc import Iterable, Iterator

from tests.builders.sessions import GROUP, SESSION_MS, queue
from tests.laws.views import Inherit, Life, Mark, Naming, Record, Release
from trimtab import protocol
from trimtab.protocol import Assignment, HolderRef, InheritRef, LifeRef, ReleaseRef
from trimtab.session import MemberSession, incarnation


def assignment(session: MemberSession, record: Record) -> Assignment:
    """Write a record of its own as it would be on the wire."""
    return Assignment.model_construct(
        group=GROUP,
        member=session.profile.member,
        incarnation=incarnation_of(record.life),
        epoch=record.epoch,
        target_epoch=record.epoch,
        hold=_namings(record.hold),
        give=_namings(record.give),
        inherit=tuple(map(_inherit, record.inherit)),
        session_timeout_ms=SESSION_MS,
        revocation_timeout_ms=60_000,
        heartbeat_interval_ms=3_000,
        join_again=None,
    )


def _inherit(line: Inherit) -> InheritRef:
    source = line.source
    life = incarnation_of(source.life)
    return InheritRef(*queue(line.queue), line.epoch, name_of(source.member), life, source.epoch)


def _namings(namings: Iterable[Naming]) -> tuple[HolderRef, ...]:
    return tuple(
        HolderRef(*queue(number), epoch, named or None, None if to is None else life_ref(*to))
        for number, epoch, named, to in namings
    )


def heard(said: Release | Mark) -> protocol.Release:
    """Write a release as it would be on the wire."""
    queues: tuple[ReleaseRef, ...] = ()
    if isinstance(said, Release):
        to = None if said.to is None else life_ref(*said.to)
        queues = (ReleaseRef(*queue(said.queue), said.epoch, None, said.named or None, to),)
    return protocol.Release.model_construct(
        member=name_of(said.member),
        incarnation=incarnation_of(said.life),
        sequence=1,
        queues=queues,
        by=None if isinstance(said, Mark) or said.own else "controller",
        gone=said.gone or None,
    )


def read(said: protocol.Release, *, whole: bool) -> Iterator[Release | Mark]:
    """Read what a session has written; if not whole, whom its releases end and name, no more."""
    who = life_of(said)
    gone = whole and bool(said.gone)
    for row in said.queues:
        to = life_of(row.to) if whole and row.to is not None else None
        yield Release(*who, row.queue.id, row.epoch, row.next or 0, to, gone=gone)
    if gone and not said.queues:
        yield Mark(*who, gone=True)


def life_ref(member: int, life: int) -> LifeRef:
    """Spell a life."""
    return LifeRef(name_of(member), incarnation_of(life))


def life_of(ref: LifeRef | protocol.Release) -> Life:
    """Return the numbers of a life."""
    return number_of(ref.member), started(ref.incarnation)


def name_of(member: int) -> str:
    """Spell a member."""
    return f"m{member}"


def number_of(name: str) -> int:
    """Return the number of a member."""
    return int(name.removeprefix("m"))


def incarnation_of(life: int) -> str:
    """Spell which of its lives it is."""
    return incarnation(life, 0)


def started(text: str) -> int:
    """Return which of its lives that is."""
    return int(text.partition("-")[0])
