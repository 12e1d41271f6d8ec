"""What members of a world read of what is decided."""

from collections.abc import Iterable

from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.events import Mode
from rebalance.ids import Naming
from sinks import Outlet
from sinks.assignments import issued
from trimtab.protocol import ASSIGNMENTS, Assignment, HolderRef, InheritRef, LifeRef, decode


def assignment(decision: AssignmentIssued) -> Assignment:
    """What a member reads. As ``sinks`` writes it, but unwritten: that is tested elsewhere."""
    portion = decision.portion
    return Assignment.model_construct(
        group=decision.group,
        member=decision.life.shared_name,
        incarnation=decision.incarnation,
        epoch=decision.epoch,
        target_epoch=decision.target_epoch,
        hold=_holdings(portion.hold),
        give=_holdings(portion.give),
        inherit=tuple(
            InheritRef(
                *row.queue,
                row.epoch,
                row.predecessor.life.shared_name,
                row.predecessor.life.incarnation,
                row.predecessor.epoch,
            )
            for row in portion.inherit
        ),
        session_timeout_ms=decision.session_timeout_ms,
        revocation_timeout_ms=decision.revocation_timeout_ms,
        heartbeat_interval_ms=decision.heartbeat_interval_ms,
        mode=None if decision.mode is Mode.CLUSTERING else decision.mode.value,
        join_again=decision.join_again or None,
    )


def _holdings(namings: Iterable[Naming]) -> tuple[HolderRef, ...]:
    return tuple(
        HolderRef(
            *it.queue,
            it.epoch,
            it.next,
            None if it.to is None else LifeRef(it.to.shared_name, it.to.incarnation),
        )
        for it in namings
    )


def of_a_newer_release(decision: AssignmentIssued, outlet: Outlet) -> Assignment:
    """Write and read it with something that only a newer release knows."""
    written = issued(decision, outlet).value or b""
    return decode(ASSIGNMENTS, written[:-1] + b',"later": {"is": [1, null]}}')
