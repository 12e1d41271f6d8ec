"""Decisions become records: one module for each topic that the controller publishes.

``record_of`` is the registry: each kind of decision has its place, and a kind that has none does
not pass the type checker. Called by ``streaming.cell.fold``; nothing here does I/O.
"""

from typing import assert_never

from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    ClaimRefused,
    ClientDoubled,
    CommandAnswered,
    EvictionsHeld,
    Freed,
    Granted,
    GroupAiled,
    HandedOver,
    MemberChanged,
    PauseEnded,
    Rebalanced,
    TopicLeftOut,
    TwinsMet,
)
from rebalance.groups.model.overview import GroupSummarised
from sinks.assignments import issued, withdrawn
from sinks.contract import Header, Outlet, Record
from sinks.deadletters import BadRecord, dead_letter_records
from sinks.groups import summarised
from sinks.history import (
    ailed,
    answered,
    claim_refused,
    client_doubled,
    evictions_held,
    granted,
    handed_over,
    member_changed,
    pause_ended,
    rebalanced,
    topic_left_out,
    twins_met,
)
from sinks.releases import freed

__all__ = [
    "BadRecord",
    "Header",
    "Outlet",
    "Publication",
    "Record",
    "dead_letter_records",
    "record_of",
]

Publication = (
    AssignmentIssued
    | Freed
    | AssignmentWithdrawn
    | GroupSummarised
    | Rebalanced
    | MemberChanged
    | HandedOver
    | Granted
    | TwinsMet
    | EvictionsHeld
    | ClaimRefused
    | TopicLeftOut
    | ClientDoubled
    | CommandAnswered
    | GroupAiled
    | PauseEnded
)
"""Every decision but a refusal, which becomes a dead letter and needs the original for that."""


def record_of(decision: Publication, outlet: Outlet) -> Record:  # noqa: C901, PLR0911, PLR0912 - one for each kind
    """Write a decision as the record that publishes it."""
    match decision:
        case AssignmentIssued():
            return issued(decision, outlet)
        case Freed():
            return freed(decision, outlet)
        case AssignmentWithdrawn():
            return withdrawn(decision, outlet)
        case GroupSummarised():
            return summarised(decision, outlet)
        case Rebalanced():
            return rebalanced(decision, outlet)
        case MemberChanged():
            return member_changed(decision, outlet)
        case HandedOver():
            return handed_over(decision, outlet)
        case Granted():
            return granted(decision, outlet)
        case TwinsMet():
            return twins_met(decision, outlet)
        case EvictionsHeld():
            return evictions_held(decision, outlet)
        case ClaimRefused():
            return claim_refused(decision, outlet)
        case TopicLeftOut():
            return topic_left_out(decision, outlet)
        case ClientDoubled():
            return client_doubled(decision, outlet)
        case CommandAnswered():
            return answered(decision, outlet)
        case GroupAiled():
            return ailed(decision, outlet)
        case PauseEnded():
            return pause_ended(decision, outlet)
        case _:
            assert_never(decision)
