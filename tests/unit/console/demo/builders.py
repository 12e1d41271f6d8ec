"""What the controller could have published, in one call each."""

from typing import Literal

from trimtab.protocol import (
    Assignment,
    Cause,
    Group,
    HolderRef,
    InheritRef,
    MemberSummary,
    QueueCounts,
)

JOIN = Cause(kind="join", subject="worker-5")


def a_group(
    *,
    state: Literal["empty", "assigning", "reconciling", "stable", "dead"] = "stable",
    members: int = 4,
    cause: Cause = JOIN,
    people: tuple[MemberSummary, ...] = (),
) -> Group:
    """A summary of the demo's group."""
    return Group(
        group="demo",
        state=state,
        epoch=4,
        group_epoch=4,
        target_epoch=4,
        strategy="AVG",
        members=members,
        queues=QueueCounts(assigned=16, moving=0, unassigned=0),
        topics={},
        at_ms=0,
        cause=cause,
        people=people,
    )


def an_assignment(
    member: str,
    *,
    epoch: int = 4,
    hold: tuple[tuple[int, int], ...] = (),
    give: tuple[tuple[int, int] | tuple[int, int, int], ...] = (),
    inherit: tuple[tuple[int, int], ...] = (),
    cause: Cause = JOIN,
) -> Assignment:
    """A member's record; queues as (queue, epoch), or (queue, epoch, that of the next)."""
    return Assignment(
        group="demo",
        member=member,
        incarnation="1767225600000-9f86d081",
        epoch=epoch,
        target_epoch=epoch,
        hold=tuple(HolderRef("orders", "", queue, one) for queue, one in hold),
        give=tuple(HolderRef("orders", "", *row) for row in give),
        inherit=tuple(
            InheritRef("orders", "", queue, one, "worker-1", "1767225600000-9f86d081", 1)
            for queue, one in inherit
        ),
        revocation_timeout_ms=60_000,
        session_timeout_ms=6_000,
        heartbeat_interval_ms=1_000,
        cause=cause,
    )
