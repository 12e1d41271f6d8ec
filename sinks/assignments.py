"""Topic ``assignments``: each member's assignment; the newest one under its key stays.

A member's record is replaced whole, never amended; a tombstone says that the group does not know
the member. All members of a group are in one partition, the group's own, so that a reader follows
one partition and sees them in one order.

Called by ``sinks.record_of``. Keyed by member, partitioned by group.
"""

from collections.abc import Mapping
from typing import Final

from rebalance.groups.model.decisions import AssignmentIssued, AssignmentWithdrawn
from rebalance.groups.model.events import Mode
from rebalance.ids import Life, Naming
from sinks.causes import cause_of
from sinks.contract import Outlet, Record, headers
from sinks.fitting import fitted, is_taken
from trimtab import protocol
from trimtab.protocol import ASSIGNMENTS, HolderRef, InheritRef, LifeRef, encode, member_key
from trimtab.protocol.names import CommonMode

_MODES: Final[Mapping[Mode, CommonMode]] = {
    Mode.BROADCASTING: "broadcasting",
    Mode.SHARED: "shared",
}


def issued(decision: AssignmentIssued, outlet: Outlet) -> Record:
    """Write a member's new assignment."""
    assignment = protocol.Assignment(
        group=decision.group,
        member=decision.life.shared_name,
        incarnation=decision.incarnation,
        epoch=decision.epoch,
        target_epoch=decision.target_epoch,
        hold=_holdings(decision.portion.hold),
        give=_holdings(decision.portion.give),
        inherit=tuple(
            InheritRef(
                *inherited.queue,
                inherited.epoch,
                inherited.predecessor.life.shared_name,
                inherited.predecessor.life.incarnation,
                inherited.predecessor.epoch,
            )
            for inherited in decision.portion.inherit
        ),
        session_timeout_ms=decision.session_timeout_ms,
        revocation_timeout_ms=decision.revocation_timeout_ms,
        heartbeat_interval_ms=decision.heartbeat_interval_ms,
        cause=cause_of(decision.cause),
        mode=_MODES.get(decision.mode),
        join_again=decision.join_again or None,
        shared=_holdings(decision.portion.shared) or None,
    )
    lists = ("inherit", "hold", "give", *(["shared"] if assignment.shared else []))
    if not is_taken(assignment, *lists):  # it may name fewer when it goes, and nothing else changes
        bare = {"hold": _nameless(assignment.hold), "give": _nameless(assignment.give)}
        assignment = assignment.model_copy(update=bare)
    # An heir that is not told is confirmed when the queue is free; a holder that must give is told.
    cut = fitted(assignment, *lists)
    if cut is not assignment:
        assignment = cut.model_copy(update={"unnamed": _rows(assignment) - _rows(cut)})
    return Record(
        outlet.topic(ASSIGNMENTS),
        outlet.partition(decision.group),
        member_key(decision.group, decision.member),
        encode(assignment),
        headers(assignment, decision.epoch),
    )


def withdrawn(decision: AssignmentWithdrawn, outlet: Outlet) -> Record:
    """Write the tombstone of a member that the group does not know."""
    return Record(
        outlet.topic(ASSIGNMENTS),
        outlet.partition(decision.group),
        member_key(decision.group, decision.member),
        value=None,
    )


def _rows(assignment: protocol.Assignment) -> int:
    return len(assignment.hold) + len(assignment.give) + len(assignment.inherit)


def _holdings(namings: tuple[Naming, ...]) -> tuple[HolderRef, ...]:
    return tuple(HolderRef(*it.queue, it.epoch, it.next, _taker(it.to)) for it in namings)


def _nameless(rows: tuple[HolderRef, ...]) -> tuple[HolderRef, ...]:
    return tuple(row._replace(to=None) for row in rows)


def _taker(life: Life | None) -> LifeRef | None:
    return None if life is None else LifeRef(*life.on_the_wire)
