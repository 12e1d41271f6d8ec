"""The history: what happened in a round, in order, on the one clock of the machine.

Each process appends lines to a file of its own; read together they are the history. The monotonic
clock (`CLOCK_MONOTONIC`) is the same for all processes of a machine. Its one rule: an event is
written before anything that it allows, so a history that looks bad is bad.
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Final, Literal

EventKind = Literal[
    # By members: on_assigned, on_revoked and on_lost were called; a message was handed out, and who
    # had it is through with it.
    "began",
    "gave",
    "lost",
    "handed",
    "done",
    "paused",
    # By the round: what was done to members, what they did by themselves, and that one gets no
    # queue at the end because it came and went.
    "started",
    "doubled",
    "stopped",
    "resumed",
    "killed",
    "ended",
    "died",
    "resting",
    # By the round: what was done to everything else, or was not because another fault lasted; that
    # a queue went with its broker, and came.
    "fault",
    "cured",
    "omitted",
    "away",
    "back",
    "healed",
    "rested",
    "restless",
    # By Kafka and the store.
    "acked",
    "committed",
    "effect",
    "refused",
]

_OWN: Final = frozenset({"began", "gave", "lost", "handed", "done", "paused"})
"""What members write themselves."""

S: Final = 1_000_000_000
"""Nanoseconds of a second."""


@dataclass(frozen=True, slots=True, order=True)
class Event:
    """One line."""

    at: int
    """Nanoseconds of `time.monotonic_ns`."""
    who: str
    """A life: one process of one member, as `m1.2`. Of what has none, who saw it."""
    kind: EventKind
    queue: int = -1
    token: int = -1
    offset: int = -1
    """Of a message or a commit; of `paused`, how long the process got no processor."""
    number: int = -1
    """What a message says."""
    said: str = ""
    """For people: which fault, which exit code."""


def name_of(who: str) -> str:
    """The member whose life this is: several lives may have one name."""
    return who.partition(".")[0]


_MOMENT: Final = S
"""0.4 ms was seen, on a machine with far too much to do."""

History = tuple[Event, ...]
"""In order of time."""


class Recorder:
    """Appends to one file; a line is in it even if its process is killed after it."""

    def __init__(self, file: Path, who: str) -> None:
        self._file = os.open(file, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o644)
        self._who = who

    def add(self, kind: EventKind, who: str = "", **more: int | str) -> int:
        """Write an event of this moment; return the moment."""
        at = time.monotonic_ns()
        self.write([Event(at, who or self._who, kind, **more)])  # type: ignore[arg-type]  # its own fields
        return at

    def write(self, events: Iterable[Event]) -> None:
        """Write events, at once."""
        lines = [json.dumps(astuple(event)) for event in events]
        os.write(self._file, "".join(f"{line}\n" for line in lines).encode())

    def close(self) -> None:
        """Write nothing more."""
        os.close(self._file)


def read(home: Path) -> History:
    """Read all that was written in a folder; a line that a death has cut off never happened."""
    events = []
    for file in sorted(home.glob("*.events")):
        whole, _, _ = file.read_text().rpartition("\n")
        events += [Event(*json.loads(line)) for line in whole.splitlines()]
    return deaths_last(events)


def deaths_last(events: Iterable[Event]) -> History:
    """Put events in order. Who is killed says nothing afterwards, but a moment after the note may.

    The kill is noted first and sent then, and whoever notes it may lose its processor between.
    """
    those = sorted(events)
    own = [it for it in those if it.kind in _OWN]

    def dead(note: Event) -> Event:
        said = (it.at + 1 for it in own if it.who == note.who and it.at < note.at + _MOMENT)
        return replace(note, at=max([note.at, *said]))

    return tuple(sorted(dead(it) if it.kind == "killed" else it for it in those))
