"""A question: what a user wants to know of a group, as the command line has it.

It names members by what they are, so it is put to a group that is rebuilt.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from console.errors import ExitCode, Failure
from console.operator_commands import Address, signed
from console.planning.changes import Added, Change, Commanded, Lost, known
from console.planning.rehearsal import Rehearsal
from rebalance.ids import MemberId, TopicName
from trimtab.protocol import Command


@dataclass(frozen=True, slots=True)
class Question:
    """Changes; they happen in the order of the fields."""

    drain: Sequence[str] = ()
    lose: Sequence[str] = ()
    lose_host: str | None = None
    lose_rack: str | None = None
    add: int = 0
    like: str | None = None
    topics: Sequence[str] = ()
    strategy: str | None = None

    def changes(self, group: Rehearsal) -> Iterator[Change]:
        """Return what is to happen.

        Raises:
            Failure: The group has no such members.
        """
        for member in self.drain:
            name = known(group, member)
            yield Commanded(_command("drain", member=name, force=True))
        for member in self.lose:
            yield Lost(member, (known(group, member),))
        if self.lose_host is not None:
            yield _on_host(group, self.lose_host)
        if self.lose_rack is not None:
            yield _in_rack(group, self.lose_rack)
        if self.add:
            like = None if self.like is None else known(group, self.like)
            yield Added(self.add, like, frozenset(map(TopicName, self.topics)))
        if self.strategy is not None:
            yield Commanded(_command("strategy", strategy=self.strategy))


def _command(verb: str, **said: object) -> Command:
    return signed(Address("GROUP", "plan"), "a plan", verb, **said)


def _on_host(group: Rehearsal, host: str) -> Lost:
    """Return the members of a host: those whose name, or instance, is its name and something more.

    So the SDK names members (`worker-host-1a2b3c4d`), and RocketMQ's clients are (`10.0.0.7@123`).
    """
    named = re.compile(rf"{re.escape(host)}(?![\w.])|{re.escape(host)}\.(?!\d)", re.IGNORECASE)
    members = group.state.membership.members.items()
    found = [name for name, it in members if named.match(name) or named.match(it.instance or "")]
    return _lost(group, f"host {host}", found)


def _in_rack(group: Rehearsal, rack: str) -> Lost:
    """Return the members of a rack, as they named it when they joined."""
    members = group.state.membership.members.items()
    return _lost(group, f"rack {rack}", [name for name, it in members if it.rack == rack])


def _lost(group: Rehearsal, what: str, found: Sequence[MemberId]) -> Lost:
    if not found:
        raise Failure(f"no member of {group.state.name} is of {what}", ExitCode.NOT_FOUND)
    return Lost(what, tuple(sorted(found)))
