"""`trimtab groups`: operators' commands to a consumer group.

Each command is one record (``console.operator_commands``) with the caller's name and a reason. The
controller answers it in `history`: done, refused, or in conflict with what has happened since
`--base-epoch`.
"""

from typing import Annotated

import typer

from console.commands.help import Command, group
from console.commands.options import (
    Assignments,
    ConfigFile,
    Lasting,
    settings_of,
    until_of,
)
from console.errors import ExitCode, Failure
from console.output import write
from console.settings import Settings
from trimtab import protocol

app = group()

Group = Annotated[str, typer.Argument(help="The group's name.")]
Member = Annotated[str, typer.Argument(help="The member's name.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; the history repeats it.")]
BaseEpoch = Annotated[
    int | None,
    typer.Option("--base-epoch", metavar="N", help="Refuse if the group has moved past it since."),
]
Rules = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]...", help="Settings for this group alone."),
]

_OVERRIDES = {wire.replace("_ms", ""): wire for wire in protocol.Overrides.model_fields}
"""The settings that a group may have of its own, and what the wire calls them."""


@app.callback()
def groups() -> None:
    """Send a command to a consumer group; the answer is in the topic `history`.

    Examples:
      trimtab groups pause billing --for 10m --reason "database is moving"
      trimtab groups drain billing worker-3 --reason "rack 7 goes down"
      trimtab groups policy billing blast_percent=80 --reason "spot instances"
    """


@app.command(cls=Command)
def policy(
    name: Group,
    rules: Rules = None,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Set the [policy] of one group.

    The settings replace all earlier ones of this group; those not named are the controller's.
    Session and revocation timeouts count for members that join from then on.

    Examples:
      trimtab groups policy billing session_timeout=30s blast_percent=80 --reason "slow disks"
      trimtab groups policy billing --reason "as before"
    """
    keys = [rule.partition("=")[0] for rule in rules or ()]
    for key in keys:
        if key not in _OVERRIDES:
            able = ", ".join(_OVERRIDES)
            raise Failure(f"{key}: a group may have of its own: {able}", ExitCode.USAGE)
    given = (f"policy.{rule}" for rule in rules or ())
    settings = settings_of(config, [*(assignments or ()), *given]).settings
    whole = settings.policy.policy(settings.controller.max_clock_step)
    own = {wire: getattr(whole, wire) for wire in (_OVERRIDES[key] for key in keys)}
    kind = protocol.ChoosePolicy
    _order(settings, name, reason, kind, base_epoch=base_epoch, overrides=own or None)


@app.command(cls=Command)
def strategy(
    name: Group,
    wanted: Annotated[str | None, typer.Argument(metavar="[STRATEGY]", help="By name.")] = None,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Set a strategy for one group, or return to the controller's.

    Examples:
      trimtab groups strategy billing AVG --reason "as before"
      trimtab groups strategy billing --reason "as before"
    """
    settings = settings_of(config, assignments).settings
    kind = protocol.ChooseStrategy
    _order(settings, name, reason, kind, base_epoch=base_epoch, strategy=wanted)


@app.command(cls=Command)
def pause(
    name: Group,
    *,
    reason: Reason,
    lasting: Lasting = None,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Start no new moves and evict no member, until the time is over or `resume`.

    Hand-overs that are under way finish. Without --for, it lasts until `resume`.

    Examples:
      trimtab groups pause billing --for 10m --reason "database is moving"
    """
    settings = settings_of(config, assignments).settings
    kind = protocol.Pause
    _order(settings, name, reason, kind, base_epoch=base_epoch, until_ms=until_of(lasting))


@app.command(cls=Command)
def resume(
    name: Group,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """End a pause; the controller then decides all that has waited.

    Examples:
      trimtab groups resume billing --reason "database has moved"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, name, reason, protocol.Resume, base_epoch=base_epoch)


@app.command(cls=Command)
def drain(
    name: Group,
    member: Member,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Hand a member's queues to others, without a gap.

    A drained member gets no queues until it restarts.

    Examples:
      trimtab groups drain billing worker-3 --reason "rack 7 goes down"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, name, reason, protocol.DrainMember, base_epoch=base_epoch, member=member)


@app.command(cls=Command)
def evict(
    name: Group,
    member: Member,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Fence a member at once; if it lives, it may join again.

    Examples:
      trimtab groups evict billing worker-3 --base-epoch 17 --reason "it hangs"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, name, reason, protocol.EvictMember, base_epoch=base_epoch, member=member)


@app.command(cls=Command)
def rebalance(
    name: Group,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Compute the target again now, without waiting for the interval.

    Examples:
      trimtab groups rebalance billing --reason "after the incident"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, name, reason, protocol.Rebalance, base_epoch=base_epoch)


@app.command(cls=Command)
def approve(
    name: Group,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Confirm what the controller doubts: silent members are dead, missing queues are gone.

    Examples:
      trimtab groups approve billing --reason "rack 3 is really gone"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, name, reason, protocol.Approve, base_epoch=base_epoch)


@app.command(cls=Command)
def forget(
    name: Group,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    assignments: Assignments = None,
) -> None:
    """Forget a group that has no members, except its epoch: a new start continues above it.

    Examples:
      trimtab groups forget billing --reason "moved away"
    """
    settings = settings_of(config, assignments).settings
    _order(settings, name, reason, protocol.Forget, base_epoch=base_epoch)


def _order(
    settings: Settings, name: str, reason: str, kind: type[protocol.Command], **said: object
) -> None:
    from console.operator_commands import Address, send_command

    command = send_command(settings, Address("GROUP", name), reason, kind, **said)
    about = f" {said['member']} of" if "member" in said else ""
    write(f"sent: {command.kind}{about} {name} ({command.id})")
