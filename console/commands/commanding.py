"""Commanding: what every command of an operator does before and after it is written.

What it names has to be there, the answer is waited for, and the command that undoes it is printed.
Called by `trimtab groups` and `trimtab brokers`; writing and waiting are in
``console.operator_commands``.
"""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import typer

from console.commands.group_views import note_left_out
from console.commands.options import milliseconds_of, now_ms
from console.encoding import visible
from console.errors import ExitCode, Failure
from console.output import fitting, say, write

if TYPE_CHECKING:
    from console.published import Published
    from console.settings import Settings
    from trimtab.protocol import Command, CommandAnswer, Group


class Asked(NamedTuple):
    """What every command is given with."""

    reason: str
    patience: str
    no_wait: bool
    dry_run: bool = False
    options: str = ""
    """With which settings, as they would be typed: what undoes it is typed with the same."""

    @property
    def patience_s(self) -> float | None:
        """How long to wait for the answer; None: not at all."""
        patience_ms = milliseconds_of("--timeout", self.patience)
        return None if self.no_wait else patience_ms / 1_000


def command_group(settings: "Settings", name: str, verb: str, asked: Asked, **said: object) -> None:
    """Give a command to a group, or to one of its members."""
    from console.names import the_group
    from console.operator_commands import Address, signed
    from console.published import Published, at_once
    from console.views.undoing import of_group, with_options

    patience_s = asked.patience_s
    command = signed(Address("GROUP", name), asked.reason, verb, **said)
    if asked.dry_run:
        from console.commands.plan import rehearse

        rehearse(settings, name, command)
        return
    published = Published(settings)
    before = at_once(lambda: the_group(published, name))
    if "member" in said:
        _check_member(published, before, str(said["member"]))
    about = f"{said['member']} of {name}" if "member" in said else name
    undo = with_options(of_group(verb, before, said), asked.options)
    _give(settings, name, command, patience_s, about, undo)


def command_broker(
    settings: "Settings", cluster: str, verb: str, asked: Asked, **said: object
) -> None:
    """Give a command about a broker."""
    from console.names import unknown
    from console.operator_commands import Address, signed
    from console.published import Published, at_once
    from console.views.undoing import of_broker, with_options

    patience_s = asked.patience_s
    forced, broker = said.pop("force", False), str(said["broker"])
    command = signed(Address("--cluster", cluster), asked.reason, verb, **said)
    published = Published(settings)
    verdicts = at_once(published.verdicts)
    if not forced and (cluster, broker) not in verdicts:
        note_left_out(published)
        known = [key.broker for key in verdicts if key.cluster == cluster]
        reason = f"{unknown(f'broker of {cluster}', broker, known)}; --force if it is new"
        raise Failure(reason, ExitCode.NOT_FOUND)
    about = f"{broker} of {cluster}"
    if asked.dry_run:
        _rehearse_broker(settings, published, cluster, command, about)
        return
    before = next((it for key, it in verdicts.items() if key == (cluster, broker)), None)
    lasts = verb == "eject" or said.get("until_ms") is not None
    undo = of_broker(verb, cluster, broker, before, now_ms(), lasts=lasts)
    undo = with_options(undo, asked.options)
    _give(settings, cluster, command, patience_s, about, undo)


def _give(
    settings: "Settings",
    name: str,
    command: "Command",
    patience_s: float | None,
    about: str,
    undo: str | None,
) -> None:
    from console.operator_commands import give
    from console.published import at_once

    undone = [] if undo is None else [f"undo: {undo}"]
    with perhaps_given([f"{command.kind} {about} ({command.id})", *undone]):
        answer = at_once(lambda: give(settings, name, command, patience_s))
    if answer is None:
        say(f"sent: {command.kind} {about} ({command.id})")
    else:
        say(f"done: {command.kind} {about}{further(answer)}")
    if undo is not None:
        say(f"undo: {undo}")


@contextmanager
def perhaps_given(said: Iterable[str]) -> Iterator[None]:
    """Say what may be written though it was not answered, or Ctrl-C ended the waiting.

    Nobody takes it back.
    """
    from console.operator_commands import PerhapsGiven

    try:
        yield
    except PerhapsGiven as failure:
        lines = [failure.details, *map(visible, said)]
        failure.details = "\n".join(filter(None, lines))
        raise
    except KeyboardInterrupt:
        lines = ["interrupted; what follows may be written already, and is obeyed then", *said]
        sys.stderr.writelines(f"trimtab: {visible(it)}\n" for it in lines)
        raise


def _rehearse_broker(
    settings: "Settings", published: "Published", cluster: str, command: "Command", about: str
) -> None:
    """Print what a command about a broker would do; it is not given."""
    from console.planning.brokers import COLUMNS, plan
    from console.published import at_once

    verdicts, hosts = at_once(published.verdicts), at_once(lambda: published.hosts(cluster))
    policy = settings.brokers.policy()
    told = plan(cluster, verdicts.values(), hosts, command, policy, now_ms())
    said = f": {told.detail}" if told.detail else ""
    say(f"{'would be done' if told.done else 'would be refused'}: {command.kind} {about}{said}")
    if told.rows:
        write(f"\n{fitting(told.rows, *COLUMNS)}")
    if not hosts and command.kind == "eject":
        write("\nnot known: which topics it has; of one that has no other, it would be spared")
    if not told.done:
        raise typer.Exit(ExitCode.UNHEALTHY)


def further(answer: "CommandAnswer") -> str:
    """Return what an answer says beyond that it is done."""
    epoch = "" if answer.epoch is None else f" at epoch {answer.epoch}"
    return f"{epoch}: {answer.detail}" if answer.detail else epoch


def _check_member(published: "Published", group: "Group", member: str) -> None:
    """Refuse a name that is not in the group, with those that are like it."""
    from console.names import unknown
    from console.published import at_once

    known = {it.member for it in group.people}
    if member not in known and group.members > len(known):  # the summary names only some
        known |= {key.member for key in at_once(lambda: published.assignments(group.group))}
    if member not in known:
        note_left_out(published)
        raise Failure(unknown("member", member, known, of=group.group), ExitCode.NOT_FOUND)
