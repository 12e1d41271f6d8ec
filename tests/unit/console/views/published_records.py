"""Records of a group called billing, as a controller publishes them."""

from typing import Any

from trimtab.protocol import (
    Assignment,
    Cause,
    Granted,
    Group,
    Handover,
    HolderRef,
    InheritRef,
    LifeRef,
    MemberChanged,
    MemberSummary,
    QueueCounts,
    QueueRef,
    RebalanceDone,
    TopicSummary,
    Verdict,
)

LIFE = "1767225600000-9f86d081"
START_MS = 1_767_225_600_000


def cause(subject: str, offset: int = 90, kind: str = "join") -> Cause:
    """An event in the log."""
    return Cause(kind=kind, subject=subject, topic="trimtab.members", partition=3, offset=offset)


def group(*members: str, **said: Any) -> Group:  # noqa: ANN401 - any field of a summary
    """A summary, of a group at rest unless it is said otherwise."""
    people = tuple(
        MemberSummary(member=it, hold=1, give=0, inherit=0, draining=False) for it in members
    )
    whole: dict[str, Any] = {
        "group": "billing",
        "state": "stable",
        "epoch": 4,
        "group_epoch": 4,
        "target_epoch": 4,
        "strategy": "STICKY",
        "members": len(members),
        "queues": QueueCounts(assigned=len(members), moving=0, unassigned=0),
        "topics": {"orders": TopicSummary(version=1, queues=len(members), awaited=False)},
        "at_ms": START_MS,
        "cause": cause("b"),
        "people": people,
    }
    return Group(**whole | said)


def hold(number: int, epoch: int, to: str | None = None, topic: str = "orders") -> HolderRef:
    """A grant, and who comes next."""
    heir = None if to is None else LifeRef(to, LIFE)
    return HolderRef(topic, "", number, epoch, None if to is None else epoch + 1, heir)


def inherit(number: int, epoch: int, giver: str) -> InheritRef:
    """A promise of a queue that another member has."""
    return InheritRef("orders", "", number, epoch, giver, LIFE, epoch - 1)


def assignment(member: str, **said: Any) -> Assignment:  # noqa: ANN401 - any field
    """What a member was told."""
    whole: dict[str, Any] = {
        "group": "billing",
        "member": member,
        "incarnation": LIFE,
        "epoch": 4,
        "target_epoch": 4,
        "hold": (),
        "give": (),
        "inherit": (),
        "revocation_timeout_ms": 30_000,
        "session_timeout_ms": 10_000,
        "heartbeat_interval_ms": 2_000,
        "cause": cause("b"),
    }
    return Assignment(**whole | said)


def joined(member: str, at_ms: int = START_MS, offset: int = 90) -> MemberChanged:
    """A member came."""
    return MemberChanged(
        group="billing",
        member=member,
        incarnation=LIFE,
        event="joined",
        at_ms=at_ms,
        cause=cause(member, offset),
    )


def rebalanced(epoch: int, at_ms: int = START_MS, why: Cause | None = None) -> RebalanceDone:
    """A new target, under this epoch."""
    return RebalanceDone(
        group="billing",
        epoch_before=epoch - 1,
        epoch_after=epoch,
        cause=why or cause("b"),
        moves=1,
        members=2,
        queues=2,
        at_ms=at_ms,
    )


def granted(number: int, member: str, why: Cause | None = None) -> Granted:
    """A queue that nobody had went to a member."""
    return Granted(
        group="billing",
        member=member,
        incarnation=LIFE,
        epoch=2,
        queues=(QueueRef("orders", "", number),),
        at_ms=START_MS,
        cause=why or cause("b"),
    )


def handed_over(number: int, giver: str, taker: str, why: Cause | None = None) -> Handover:
    """A queue passed from one member to another."""
    return Handover(
        group="billing",
        from_member=giver,
        to_member=taker,
        queues=(QueueRef("orders", "", number),),
        duration_ms=130,
        idle_ms=0,
        epoch=4,
        ending="released",
        at_ms=START_MS + 130,
        cause=why or cause("b"),
    )


def verdict(**said: object) -> Verdict:
    """A verdict on a broker, which is in use unless it is said otherwise."""
    whole = {
        "cluster": "east",
        "broker": "a",
        "available": True,
        "since_ms": START_MS,
        "reason": "r",
        "panic": False,
        "reports": 14,
        "errors": 3,
    }
    return Verdict.model_validate(whole | said)
