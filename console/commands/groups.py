"""`trimtab groups`: which groups there are, how each is and why; and commands to one.

Looking is in ``group_views``, commanding in ``group_commands`` and
``member_commands``.
"""

from console.commands import group_commands as commands
from console.commands import group_moving as moving
from console.commands import group_views as views
from console.commands import member_commands
from console.commands.help import Command, group

app = group()


@app.callback()
def groups() -> None:
    """See how consumer groups are and why; send commands to one.

    Examples:
      trimtab groups list
      trimtab groups describe billing
      trimtab groups explain billing orders-7      who has it, since when and why
      trimtab groups pause billing --for 10m --reason "database is moving"
      trimtab groups drain billing worker-3 --reason "rack 7 goes down"
      trimtab groups drain billing worker-3 --reason "rack 7 goes down" --dry-run
    """


app.command("list", cls=Command)(views.list_groups)
for command in (
    views.describe,
    views.history,
    views.explain,
    commands.policy,
    commands.strategy,
    commands.mode,
    commands.pause,
    commands.resume,
    member_commands.drain,
    member_commands.undrain,
    member_commands.evict,
    commands.rebalance,
    commands.approve,
    commands.forget,
    moving.move,
    moving.sides,
):
    app.command(cls=Command)(command)
