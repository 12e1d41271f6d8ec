"""Operators' commands about members of a group, as `trimtab groups` has them.

As ``group_commands``, which has those about the whole group.
"""

from typing import Annotated

import typer

from console.commands.commanding import Asked
from console.commands.group_commands import BaseEpoch, Group, Reason
from console.commands.options import (
    ConfigFile,
    DryRun,
    KeyValues,
    NoWait,
    Patience,
    as_given,
    settings_of,
)
from console.commands.several import Whom, command_members

Member = Annotated[
    str | None,
    typer.Argument(metavar="[MEMBER]", help="The member's name.", show_default=False),
]
Rack = Annotated[
    str | None,
    typer.Option(metavar="RACK", show_default=False, help="All members of a rack instead."),
]
Instance = Annotated[
    str | None,
    typer.Option(metavar="NAME", show_default=False, help="All members of an instance instead."),
]
Force = Annotated[bool, typer.Option("--force", help="Also if queues then have no worker.")]


def drain(
    name: Group,
    member: Member = None,
    *,
    rack: Rack = None,
    instance: Instance = None,
    reason: Reason,
    force: Force = False,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Hand a member's queues to others.

    A drained member gets no queues until it restarts, or `undrain`.

    Examples:
      trimtab groups drain billing worker-3 --reason "slow disk"
      trimtab groups drain billing --rack r7 --reason "rack 7 goes down"
    """
    settings = settings_of(config, key_values).settings
    command_members(
        settings,
        name,
        "drain",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        Whom(member, rack, instance),
        base_epoch=base_epoch,
        force=force or None,
    )


def undrain(
    name: Group,
    member: Member = None,
    *,
    rack: Rack = None,
    instance: Instance = None,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """End a drain: the member may have queues again.

    Examples:
      trimtab groups undrain billing worker-3 --reason "new disk"
      trimtab groups undrain billing --rack r7 --reason "rack 7 is back"
    """
    settings = settings_of(config, key_values).settings
    command_members(
        settings,
        name,
        "undrain",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        Whom(member, rack, instance),
        base_epoch=base_epoch,
    )


def evict(
    name: Group,
    member: Member = None,
    *,
    rack: Rack = None,
    instance: Instance = None,
    reason: Reason,
    force: Force = False,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Take all queues from a member at once. If it is still alive, it may join again.

    Examples:
      trimtab groups evict billing worker-3 --base-epoch 17 --reason "it hangs"
      trimtab groups evict billing --instance node-7 --reason "its clock is wrong"
    """
    settings = settings_of(config, key_values).settings
    command_members(
        settings,
        name,
        "evict",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        Whom(member, rack, instance),
        base_epoch=base_epoch,
        force=force or None,
    )
