"""Mistakes that nobody notices before a second controller starts.

Each replaces a function of the brain or of the SDK; ``test_takeovers`` proves that the exploration
finds it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rebalance.groups.adoption import Published
from rebalance.groups.handover.pages import RecordedGrant
from rebalance.groups.model.state import GroupState
from trimtab.protocol import Assignment
from trimtab.session import MemberSession

Function = Callable[..., Any]


def older_records_obeyed(right: Function) -> Function:
    """A member obeys whatever it reads last, of whichever controller (rule 7)."""
    del right

    def wrong(self: MemberSession, record: Assignment) -> bool:
        return record.incarnation == self.incarnation

    return wrong


def no_epoch_left_out(right: Function) -> Function:
    """Who starts goes on with the very epoch under which the older one may still write."""

    def wrong(before: GroupState, news: Published) -> GroupState:
        state: GroupState = right(before, news)
        return replace(state, epoch=news.epoch)

    return wrong


def releases_not_read_back(right: Function) -> Function:
    """What was read before a controller started is over for it."""

    def wrong(draft: object, events: Sequence[object]) -> object:
        del events
        return right(draft, [])

    return wrong


def latest_claim_believed(right: Function) -> Function:
    """Of all that records say of a queue the latest grant is taken for its holder's."""

    def wrong(claims: Sequence[RecordedGrant], asked: object) -> object:
        return right([max(claims)._replace(source=None)], asked)

    return wrong
