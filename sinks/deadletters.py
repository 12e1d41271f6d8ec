"""Topic ``deadletters``: records that could not be used, with the reason.

A bad record costs one record here and nothing else: the batch goes on, and people can look at the
bytes later.

A command among them is answered in ``history`` as well, if it says which it is: who gave it waits
there for what became of it.

Called by ``cell.fold``, which has the original at hand. A bad record is kept, up to a limit, under
the name of the topic that it was found on.
"""

from typing import NamedTuple

from rebalance.ids import GroupName
from sinks.contract import Outlet, Record, headers, keyed_by_group
from trimtab.protocol import (
    COMMANDS,
    DEADLETTERS,
    HISTORY,
    Cause,
    Command,
    CommandAnswer,
    DeadLetter,
    UndecodableRecord,
    decode,
    encode,
    read_group_key,
)
from trimtab.protocol.reasons import one_line


class BadRecord(NamedTuple):
    """A record that cannot be used: what is kept of it, and all of it."""

    letter: DeadLetter
    key: bytes | None
    value: bytes | None


def dead_letter_records(bad: BadRecord, outlet: Outlet) -> list[Record]:
    """Address a dead letter, and the answer to a command that is one."""
    kept = _dead_letter_record(bad.letter, outlet)
    answer = _answer(bad, outlet) if bad.letter.topic == outlet.topic(COMMANDS) else None
    return [kept] if answer is None else [kept, answer]


def _dead_letter_record(letter: DeadLetter, outlet: Outlet) -> Record:
    """Address a dead letter."""
    return Record(
        outlet.topic(DEADLETTERS),
        partition=outlet.partition(letter.topic),
        key=letter.topic.encode(),
        value=encode(letter),
        headers=headers(letter),
    )


def _answer(bad: BadRecord, outlet: Outlet) -> Record | None:
    """Answer a command that was refused before its group or cluster heard of it."""
    letter = bad.letter
    try:
        name = GroupName(read_group_key(bad.key))
        command: Command = decode(COMMANDS, bad.value)
    except UndecodableRecord:
        return None
    answer = CommandAnswer(
        group=name,
        id=command.id,
        command=command.kind,
        principal=command.principal,
        reason=command.reason,
        outcome="refused",
        detail=one_line(letter.detail),
        at_ms=letter.timestamp_ms or 0,
        cause=Cause(
            kind="command",
            subject=command.id,
            topic=letter.topic,
            partition=letter.partition,
            offset=letter.offset,
        ),
    )
    return keyed_by_group(outlet, HISTORY, name, answer, None)
