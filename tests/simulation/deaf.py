"""Mistakes about members that were not there for a while, or did not read, for ``plants``."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, Joined
from rebalance.groups.model.member import Member, Unread
from rebalance.ids import MemberId, Millis

Function = Callable[..., Any]


def successor_not_respected(right: Function) -> Function:
    """Whoever comes back after it was replaced is taken for a newcomer."""
    del right

    def wrong(draft: Draft, event: Joined, rival: MemberId) -> bool:
        del draft, event, rival
        return False

    return wrong


def never_told_again(right: Function) -> Function:
    """Whoever misses a record goes on without it."""
    del right
    return lambda *seen: seen[-1]


def told_again_at_once(right: Function) -> Function:
    """Nobody is given the time to read."""

    def wrong(draft: Draft, event: BeatSeen, member: Member, unread: Unread) -> Unread | None:
        impatient = replace(unread, since=Millis(-3_600_000), times=0)
        left: Unread | None = right(draft, event, member, impatient)
        return left

    return wrong
