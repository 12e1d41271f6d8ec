"""The groups that the terminal is asked about: what a controller has published of each.

Four members share sixteen queues; one of them came last, and got four queues. Every hundredth group
is starved. Used by ``bench.terminal``.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    HISTORY,
    Assignment,
    Cause,
    Group,
    Handover,
    HolderRef,
    LifeRef,
    MemberChanged,
    MemberSummary,
    QueueCounts,
    QueueRef,
    RebalanceDone,
    Record,
    Topic,
    TopicSummary,
    member_key,
)

MEMBERS: Final = tuple(f"orders-app-{number}" for number in range(4))
QUEUES: Final = 16
_EACH: Final = QUEUES // len(MEMBERS)
_LIFE: Final = "1767225600000-9f86d081"
_AT_MS: Final = 1_767_225_600_000
_STARVED: Final = 100


class Publication(NamedTuple):
    """A record as the controller publishes it."""

    topic: Topic[Any]
    group: str
    key: bytes
    record: Record


def company(groups: int) -> Iterator[Publication]:
    """Return what is published of so many groups."""
    for number in range(groups):
        name = f"group-{number:05}"
        cause = _cause(number)
        for entry in _history(name, cause):
            yield Publication(HISTORY, name, name.encode(), entry)
        for place in range(len(MEMBERS)):
            told = _assignment(name, place, cause)
            yield Publication(ASSIGNMENTS, name, member_key(name, told.member), told)
        summary = _summary(name, cause, starved=number % _STARVED == 1)
        yield Publication(GROUPS, name, name.encode(), summary)


def _cause(number: int) -> Cause:
    topic, partition = "trimtab.members", number % 8
    return Cause(kind="join", subject=MEMBERS[-1], topic=topic, partition=partition, offset=number)


def _history(group: str, cause: Cause) -> Iterator[Record]:
    yield MemberChanged(
        group=group,
        member=MEMBERS[-1],
        incarnation=_LIFE,
        event="joined",
        at_ms=_AT_MS,
        cause=cause,
    )
    yield RebalanceDone(
        group=group,
        epoch_before=3,
        epoch_after=4,
        cause=cause,
        moves=_EACH,
        members=len(MEMBERS),
        queues=QUEUES,
        at_ms=_AT_MS,
    )
    yield Handover(
        group=group,
        from_member=MEMBERS[0],
        to_member=MEMBERS[-1],
        queues=tuple(QueueRef("orders", "", it) for it in _share(len(MEMBERS) - 1)),
        duration_ms=40,
        idle_ms=0,
        epoch=4,
        ending="released",
        at_ms=_AT_MS + 40,
        cause=cause,
    )


def _assignment(group: str, place: int, cause: Cause) -> Assignment:
    heir = LifeRef(MEMBERS[(place + 1) % len(MEMBERS)], _LIFE)
    return Assignment(
        group=group,
        member=MEMBERS[place],
        incarnation=_LIFE,
        epoch=4,
        target_epoch=4,
        hold=tuple(HolderRef("orders", "", it, 4, 5, heir) for it in _share(place)),
        give=(),
        inherit=(),
        revocation_timeout_ms=30_000,
        session_timeout_ms=10_000,
        heartbeat_interval_ms=2_000,
        cause=cause,
    )


def _share(place: int) -> range:
    return range(place * _EACH, (place + 1) * _EACH)


def _summary(group: str, cause: Cause, *, starved: bool) -> Group:
    waiting = 1 if starved else 0
    return Group(
        group=group,
        state="starved" if starved else "stable",
        epoch=4,
        group_epoch=4,
        target_epoch=4,
        strategy="STICKY",
        members=len(MEMBERS),
        queues=QueueCounts(assigned=QUEUES - waiting, moving=0, unassigned=waiting),
        topics={"orders": TopicSummary(version=1, queues=QUEUES, awaited=False)},
        at_ms=_AT_MS + 40,
        cause=cause,
        people=tuple(
            MemberSummary(member=it, hold=_EACH, give=0, inherit=0, draining=False)
            for it in MEMBERS
        ),
        shortage={"no room": waiting} if starved else None,
    )
