"""What is forgotten of a group and must not be, for ``plants``."""

from collections.abc import Callable
from typing import Any

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.state import GroupState
from streaming.startup.published import PublishedState
from trimtab.protocol import Group

Function = Callable[..., Any]


def epoch_forgotten_with_the_group(right: Function) -> Function:
    """What an operator has forgotten begins at 1 again."""

    def wrong(self: Draft) -> None:
        right(self)
        self.before = GroupState(self.before.name)

    return wrong


def epoch_swept_with_the_rest(right: Function) -> Function:
    """What nobody has used for long does."""

    def wrong(state: GroupState) -> GroupState:
        kept: GroupState = right(state)
        return GroupState(kept.name) if kept.is_unknown else kept

    return wrong


def last_word_not_read(right: Function) -> Function:
    """What a controller that has lost its checkpoint finds published of an empty group."""

    def wrong(self: PublishedState, group: str, record: Group) -> None:
        right(self, group, record)
        if not self._assignments:
            self._summaries.clear()

    return wrong


def nothing_withheld(_: Function) -> Function:
    """What nobody was found to have is anybody's at once."""
    return lambda _: False
