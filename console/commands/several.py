"""Several members: one command to each member of a rack or an instance, and all their answers.

The contract knows members by name alone, so which they are is looked up here. Called by
``member_commands``; what is done for one member is in ``commanding``.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import typer

from console.commands.commanding import Asked, command_group, further, perhaps_given
from console.errors import ExitCode, Failure
from console.output import say

if TYPE_CHECKING:
    from console.planning.known import Known
    from console.planning.selection import Place
    from console.settings import Settings
    from trimtab.protocol import Command, CommandAnswer


class Whom(NamedTuple):
    """Which members a command is for: one by name, or all of a rack or an instance."""

    member: str | None
    rack: str | None
    instance: str | None


def command_members(
    settings: "Settings",
    name: str,
    verb: str,
    asked: Asked,
    whom: Whom,
    *,
    base_epoch: int | None,
    **said: object,
) -> None:
    """Give a command to one member, or one to each of several."""
    given = [it for it in whom if it is not None]
    if len(given) != 1:
        raise Failure("give one of MEMBER, --rack and --instance", ExitCode.USAGE)
    if whom.member is not None:
        command_group(
            settings, name, verb, asked, base_epoch=base_epoch, member=whom.member, **said
        )
        return
    if base_epoch is not None:
        reason = "--base-epoch: the first of several commands moves the group past it: name MEMBER"
        raise Failure(reason, ExitCode.USAGE)

    from console.planning.selection import Place

    _command_several(settings, name, verb, asked, Place(whom.rack, whom.instance), **said)


def _command_several(
    settings: "Settings", name: str, verb: str, asked: Asked, place: "Place", **said: object
) -> None:
    """Give it, list the answers, and end with 3 if one is refused, with 5 if one does not come."""
    from console.operator_commands import Address, give_all, signed
    from console.planning.known import known_of
    from console.planning.selection import selected
    from console.published import Published, at_once

    patience_s, address = asked.patience_s, Address("GROUP", name)
    signed(address, asked.reason, verb, member="nobody", **said)  # what is wrong is said at once
    known = at_once(lambda: known_of(Published(settings), name))
    members, unknown = selected(known, place)
    if unknown:
        say(f"left out, for nobody knows their {place.kind}: {', '.join(unknown)}")
    commands = [signed(address, asked.reason, verb, member=it, **said) for it in members]
    if asked.dry_run:
        from console.commands.plan import rehearse

        rehearse(settings, name, *commands)
        return
    given = zip(members, commands, strict=True)
    said_of = [f"{verb} {member} of {name} ({it.id})" for member, it in given]
    with perhaps_given([*said_of, *_undos(known, verb, members, asked.options)]):
        answers = at_once(lambda: give_all(settings, name, commands, patience_s))
    if patience_s is None:
        _say_all([*(f"sent: {it}" for it in said_of), *_undos(known, verb, members, asked.options)])
        return
    for member, command, answer in zip(members, commands, answers, strict=True):
        say(_told(f"{verb} {member}", name, command, answer, patience_s))
    outcomes = [None if it is None else it.outcome for it in answers]
    done = [it for it, how in zip(members, outcomes, strict=True) if how in {"done", None}]
    _say_all(_undos(known, verb, done, asked.options))
    if {*outcomes} - {"done", None}:
        raise typer.Exit(ExitCode.UNHEALTHY)
    if None in outcomes:
        raise typer.Exit(ExitCode.TIMEOUT)


def _say_all(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)


def _told(
    what: str, name: str, command: "Command", answer: "CommandAnswer | None", patience_s: float
) -> str:
    from console.operator_commands import unanswered

    about = f"{what} of {name}"
    if answer is None:
        return f"unanswered: {about}: {unanswered(name, command, patience_s)}"
    if answer.outcome == "done":
        return f"done: {about}{further(answer)}"
    return f"{answer.outcome}: {about}: {answer.detail}"


def _undos(known: "Known", verb: str, done: Iterable[str], options: str) -> Iterator[str]:
    """Say what takes each back."""
    from console.views.undoing import of_group, with_options

    for member in done:
        undo = with_options(of_group(verb, known.summary, {"member": member}), options)
        if undo is not None:
            yield f"undo: {undo}"
