"""Operators' commands in the brain's words: the other half of ``translation``.

Only commands to a group: a command about brokers is addressed to a cluster. A strategy is looked up
here, so that a record with an unknown name is refused and never reaches the group.

Called by ``translation``.
"""

from allocators import BadOption, shipped
from rebalance.groups.model import commands
from rebalance.groups.model.overrides import NOTHING_SET, Overrides, Settings
from rebalance.groups.model.policy import Compat, TwinRule
from rebalance.ids import MemberId, Millis, TopicName
from trimtab import protocol
from trimtab.protocol import (
    Approve,
    ChooseMode,
    ChoosePolicy,
    ChooseStrategy,
    Command,
    DrainMember,
    EvictMember,
    Forget,
    Pace,
    Pause,
    Rebalance,
    Resume,
    UndecodableRecord,
    UndrainMember,
)


def command_of(record: Command) -> commands.Command:  # noqa: C901, PLR0911, PLR0912 - one case for each verb
    """Translate a command.

    Raises:
        UndecodableRecord: It is not for a group, or names a strategy that does not exist.
    """
    match record:
        case Pause(until_ms=until):
            return commands.Pause(None if until is None else Millis(until))
        case Resume():
            return commands.Resume()
        case DrainMember(member=member, force=force):
            return commands.DrainMember(MemberId(member), force is True)
        case UndrainMember(member=member):
            return commands.UndrainMember(MemberId(member))
        case EvictMember(member=member, force=force):
            return commands.EvictMember(MemberId(member), force is True)
        case Rebalance():
            return commands.RebalanceNow()
        case ChooseStrategy(strategy=name):
            return commands.ChooseStrategy(_known(name))
        case ChoosePolicy(overrides=overrides):
            return commands.ChoosePolicy(overrides_of(overrides))
        case ChooseMode(topic=topic, mode=mode, share_number=number):
            return commands.ChooseMode(TopicName(topic), mode == "pop", number)
        case Pace(interval_ms=interval):
            return commands.Pace(Millis(interval))
        case Approve():
            return commands.Approve()
        case Forget():
            return commands.Forget()
        case _:
            raise UndecodableRecord("refused", f"{record.kind}: not a command for a group")


def overrides_of(record: protocol.Overrides | None) -> Overrides:
    """Translate the rules that a group has of its own; none: the controller's count."""
    if record is None:
        return Overrides()
    own = record.model_dump(exclude_none=True)
    for rule in {"on_twin", "on_twin_instance"} & own.keys():
        own[rule] = TwinRule(own[rule])
    if "compat" in own:
        own["compat"] = Compat(own["compat"])
    return Overrides(**own)


def settings_of(record: protocol.Settings | None) -> Settings:
    """Translate what a summary says of commands; a strategy that is not known is the policy's."""
    if record is None:
        return NOTHING_SET
    until = record.paused_until_ms
    try:
        strategy = _known(record.own_strategy)
    except UndecodableRecord:  # of a newer release; all else of the group is to go on
        strategy = None
    return Settings(
        paused=record.paused is True,
        pause_ends=None if until is None else Millis(until),
        strategy=strategy,
        overrides=overrides_of(record.overrides),
        popped=tuple(map(TopicName, record.popped)),
    )


def _known(strategy: str | None) -> str | None:
    """Check a strategy that is to be used; one of the user's own is code, and no record loads code.

    Who may write commands may not run programs here; such strategies are named in the settings.
    """
    if strategy is None:
        return None
    try:
        shipped(strategy)
    except (KeyError, BadOption) as error:
        raise UndecodableRecord("refused", f"strategy: {error.args[0]}") from error
    return strategy
