"""Short ways to say what a session is told and what it answered."""

from collections.abc import Iterable
from typing import TypeVar

from trimtab.protocol import (
    TOPICS,
    Assignment,
    Cause,
    HolderRef,
    InheritRef,
    QueueRef,
    Record,
    Release,
    ReleaseRef,
    decode,
)
from trimtab.session import Action, MemberSession, Profile, Send

GROUP = "billing"
MINE = "1767225600000-00000001"
OTHERS = "1767225600000-00000002"
"""The incarnation of everybody else."""
SESSION_MS = 10_000
REVOCATION_MS = 60_000
HEARTBEAT_MS = 3_000

Held = tuple[int, int] | tuple[int, int, int | None]
"""A queue by its number, the epoch of its grant, and that of the next: none, if not said."""

A = TypeVar("A", bound=Action)
R = TypeVar("R", bound=Record)


def queue(number: int = 0) -> QueueRef:
    """A queue of the topic that every test subscribes."""
    return QueueRef("orders", "", number)


def a_session(member: str = "m", incarnation: str = MINE, now: int = 0) -> MemberSession:
    """A session that has not asked for anything yet."""
    profile = Profile(group=GROUP, member=member, topics=("orders",))
    return MemberSession(profile, incarnation, now)


def assignment(
    epoch: int,
    *,
    hold: Iterable[Held] = (),
    give: Iterable[Held] = (),
    inherit: Iterable[tuple[int, int, str, int]] = (),
    member: str = "m",
    incarnation: str = MINE,
) -> Assignment:
    """Orders: queues as (number, epoch, next), heirs as (number, epoch, owner, its epoch)."""
    return Assignment(
        group=GROUP,
        member=member,
        incarnation=incarnation,
        epoch=epoch,
        target_epoch=epoch,
        hold=tuple(HolderRef(*queue(q), *rest) for q, *rest in hold),
        give=tuple(HolderRef(*queue(q), *rest) for q, *rest in give),
        inherit=tuple(InheritRef(*queue(q), e, who, OTHERS, of) for q, e, who, of in inherit),
        revocation_timeout_ms=REVOCATION_MS,
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        cause=Cause(kind="join"),
    )


def a_release(
    member: str, *rows: tuple[int, int, int | None, int | None], incarnation: str = OTHERS
) -> Release:
    """Somebody's release: queues as (number, epoch, position, next)."""
    return Release(
        member=member,
        incarnation=incarnation,
        sequence=1,
        queues=tuple(ReleaseRef(*queue(q), e, at, to) for q, e, at, to in rows),
    )


def joined(*held: Held, now: int = 0) -> MemberSession:
    """A session that was answered, at epoch 1, with these queues to hold; its mark was read back.

    It has sent a join, three marks (with the join, the answer and the beat) and a beat.
    """
    session = a_session(now=now)
    acknowledge(session, session.tick(now), now)
    actions = session.receive(assignment(1, hold=held), now)
    acknowledge(session, actions, now)
    read_back(session, actions, now)
    return session


def acknowledge(session: MemberSession, actions: list[Action], now: int) -> list[Action]:
    """Kafka takes everything that was sent."""
    return [
        answer for sent in only(Send, actions) for answer in session.acknowledged(sent.ticket, now)
    ]


def read_back(session: MemberSession, actions: Iterable[Action], now: int) -> list[Action]:
    """The session reads the releases that it has sent."""
    return [answer for said in sent(Release, actions) for answer in session.hear(said, now)]


def marks(actions: Iterable[object]) -> list[Release]:
    """The releases without queues."""
    return [release for release in sent(Release, actions) if not release.queues]


def only(kind: type[A], actions: Iterable[object]) -> list[A]:
    """The actions of one kind."""
    return [action for action in actions if isinstance(action, kind)]


def sent(kind: type[R], actions: Iterable[object]) -> list[R]:
    """The records of one kind that were sent."""
    records = [decode(TOPICS[action.topic], action.value) for action in only(Send, actions)]
    return [record for record in records if isinstance(record, kind)]
