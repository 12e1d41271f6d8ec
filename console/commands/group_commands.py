"""Operators' commands to a consumer group, as `trimtab groups` has them.

Each command is one record (``console.operator_commands``) with the caller's name and a reason. The
controller answers it in `history`, where the call waits for it: done, refused, or in conflict with
what has happened since `--base-epoch`. What it names must be there; what undoes it is printed.
"""

from collections.abc import Callable
from typing import Annotated

import typer

from console.commands.commanding import Asked, command_group
from console.commands.options import (
    ConfigFile,
    DryRun,
    KeyValues,
    Lasting,
    NoWait,
    Patience,
    Until,
    as_given,
    settings_of,
    until_of,
)
from console.errors import ExitCode, Failure

Group = Annotated[str, typer.Argument(help="The group's name.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; the history repeats it.")]
BaseEpoch = Annotated[
    int | None,
    typer.Option("--base-epoch", metavar="N", help="Refuse if the group has moved past it since."),
]
Rules = Annotated[
    list[str] | None,
    typer.Argument(metavar="[KEY=VALUE]...", help="Settings for this group alone."),
]


def policy(
    name: Group,
    rules: Rules = None,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Set the [policy] of one group.

    The settings replace all earlier ones of this group; those not named are the controller's.
    Timeouts count for members that join from then on; session_timeout and revocation_timeout
    only for those whose join names none, and members of the SDKs always name theirs.
    The controller refuses what contradicts its own settings.

    Examples:
      trimtab groups policy billing assignment_interval=5s blast_percent=80 --reason "slow disks"
      trimtab groups policy billing --reason "as before"
    """
    from console.settings.own import own_rules

    own = own_rules(rules or ())
    settings = settings_of(config, key_values).settings
    command_group(
        settings,
        name,
        "policy",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        base_epoch=base_epoch,
        overrides=own or None,
    )


def strategy(
    name: Group,
    wanted: Annotated[str | None, typer.Argument(metavar="[STRATEGY]", help="By name.")] = None,
    *,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Set a strategy for one group, or return to the controller's.

    Examples:
      trimtab groups strategy billing AVG --reason "as before"
      trimtab groups strategy billing --reason "as before"
    """
    settings = settings_of(config, key_values).settings
    command_group(
        settings,
        name,
        "strategy",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        base_epoch=base_epoch,
        strategy=wanted,
    )


def mode(
    name: Group,
    topic: Annotated[str, typer.Argument(help="Whose queues.")],
    wanted: Annotated[str, typer.Argument(metavar="pop|pull", help="Shared, or owned.")],
    *,
    share: Annotated[
        int | None,
        typer.Option(
            "--share",
            metavar="N",
            min=-1,
            help="Each works on the queues of so many others, too; -1 or 0: on all. By default "
            "policy.share_number.",
        ),
    ] = None,
    reason: Reason,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
) -> None:
    """Have a group's RocketMQ clients share a topic's queues (pop), or own them again (pull).

    It is for clients whose brokers have the hook (docs/rocketmq.md). Members of the SDK own their
    queues as before.

    Examples:
      trimtab groups mode billing orders pop --share 2 --reason "slow consumers"
      trimtab groups mode billing orders pull --reason "as before"
    """
    if wanted not in ("pop", "pull"):
        raise Failure(f"{wanted}: say pop or pull", ExitCode.USAGE)
    if wanted == "pull" and share is not None:
        raise Failure("--share works only with pop; remove it", ExitCode.USAGE)
    settings = settings_of(config, key_values).settings
    command_group(
        settings,
        name,
        "mode",
        Asked(reason, patience, no_wait, options=as_given(config, key_values)),
        base_epoch=base_epoch,
        topic=topic,
        mode=wanted,
        share_number=share,
    )


def pause(
    name: Group,
    *,
    reason: Reason,
    lasting: Lasting = None,
    until: Until = None,
    base_epoch: BaseEpoch = None,
    config: ConfigFile = None,
    key_values: KeyValues = None,
    patience: Patience = "30s",
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Start no new moves and evict no member, until the time is over or `resume`.

    Hand-overs that are under way finish. Without --for or --until, it lasts until `resume`.

    Examples:
      trimtab groups pause billing --for 10m --reason "database is moving"
    """
    settings = settings_of(config, key_values).settings
    command_group(
        settings,
        name,
        "pause",
        Asked(reason, patience, no_wait, dry_run, as_given(config, key_values)),
        base_epoch=base_epoch,
        until_ms=until_of(lasting, until),
    )


def _plain(verb: str, told: str) -> Callable[..., None]:
    """Make the command of a verb that takes nothing but a group."""

    def command(
        name: Group,
        *,
        reason: Reason,
        base_epoch: BaseEpoch = None,
        config: ConfigFile = None,
        key_values: KeyValues = None,
        patience: Patience = "30s",
        no_wait: NoWait = False,
        dry_run: DryRun = False,
    ) -> None:
        settings = settings_of(config, key_values).settings
        asked = Asked(reason, patience, no_wait, dry_run, as_given(config, key_values))
        command_group(settings, name, verb, asked, base_epoch=base_epoch)

    command.__name__, command.__doc__ = verb, told
    return command


resume = _plain(
    "resume",
    """End a pause; the controller then decides all that has waited.

    Examples:
      trimtab groups resume billing --reason "database has moved"
    """,
)
rebalance = _plain(
    "rebalance",
    """Compute the target again now, without waiting for the interval.

    Examples:
      trimtab groups rebalance billing --reason "after the incident"
    """,
)
approve = _plain(
    "approve",
    """Confirm what the controller doubts: silent members are dead, missing queues are gone.

    Examples:
      trimtab groups approve billing --reason "rack 3 is really gone"
    """,
)
forget = _plain(
    "forget",
    """Forget a group that has no members, except its epoch: a new start continues above it.

    Examples:
      trimtab groups forget billing --reason "moved away"
    """,
)
