"""Remarks: what an answer says beyond that a command is done.

Who hears "done" believes that what was asked for is so. Where it is not so yet, or not all of it,
the answer says why. They only read the draft.

Called by ``obeying`` for commands that are carried out.
"""

from collections.abc import Iterator
from typing import Final

from rebalance.groups.model.commands import (
    Approve,
    ChooseMode,
    ChooseStrategy,
    Command,
    Pause,
    RebalanceNow,
    UndrainMember,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.overrides import Overrides
from rebalance.groups.model.subscriptions import wants
from rebalance.ids import TopicName

_NO_OPTIONS: Final = "{}"
"""As ``Policy`` writes none."""
_NAMED: Final = 3
"""So many topics are named; the settings name them all."""
_WAITING: Final = (Approve, ChooseStrategy, RebalanceNow, UndrainMember)
"""All that these do is part of what a pause puts off."""


def of_any(draft: Draft, command: Command, detail: str) -> str:
    """Return the detail, and what stands in the way of what the command is for."""
    if isinstance(command, UndrainMember) and draft.membership.members[command.member].draining:
        return "it keeps draining, because it asked to leave"
    if not draft.rules.paused or not isinstance(command, _WAITING):
        return detail
    waits = "it waits for `groups resume`"
    return f"{detail}; {waits}" if detail else waits


def of_pause(draft: Draft, command: Pause) -> str:
    """Say which pause would be lost by another one; the draft is as before it."""
    ends = draft.rules.pause_ends
    if not draft.rules.paused or ends == command.until:
        return ""
    if ends is None:
        return "replaces a pause that lasts until `groups resume`"
    return "replaces a pause with another end"


def of_strategy(draft: Draft, command: ChooseStrategy) -> str:
    """Say that options are the controller's: a strategy by the same name is chosen without them."""
    general = draft.general
    if command.strategy != general.strategy or general.strategy_options == _NO_OPTIONS:
        return ""
    return "without the controller's options"


def of_policy(draft: Draft, overrides: Overrides) -> str:
    """Repeat the group's own rules, and say where the controller's settings go before them."""
    own = overrides.own().items()
    said = ", ".join(f"{name}={value}" for name, value in own) or "the controller's again"
    if overrides.share_number is None or not (named := sorted(_exceptions(draft))):
        return said
    topics = ", ".join(named[:_NAMED]) + (", …" if named[_NAMED:] else "")
    return f"{said}; the controller's share_numbers override it for {topics}"


def _exceptions(draft: Draft) -> Iterator[TopicName]:
    """Return the topics of the group that have a share number apart."""
    mine = f"{draft.before.name}/"
    for name, _ in draft.policy.share_numbers:
        topic = TopicName(name.removeprefix(mine))
        if draft.membership.members.demand.covers(topic):
            yield topic


def of_mode(draft: Draft, command: ChooseMode) -> str:
    """Say that there is nobody whose way of working changes."""
    members = draft.membership.members
    if not members.demand.covers(command.topic):
        return "no member subscribes it yet"
    clients = (it for it in members.merged().values() if it.eager or it.pops)
    if any(wants(client, command.topic) for client in clients):
        return ""
    return "no RocketMQ client subscribes it"
