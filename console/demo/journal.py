"""What each process of the demo writes down about itself, as it happens, one JSON line an entry.

A worker notes the moment it starts on a queue, the moment it stops, and every message in between,
with one write to the kernel each; a SIGKILL loses nothing that was noted. Written by ``worker``,
``producer`` and (for deaths) ``stage``; read by ``play`` while they run.

All times are ``time.monotonic_ns``: one clock for all processes of a host, and no correction of the
wall clock can make a hand-over look longer, shorter or overlapping.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Self

import msgspec

Ending = Literal["released", "lost", "died"]
"""Why a member stopped on a queue: it handed it over, fenced itself, or its process is gone."""


class Entry(msgspec.Struct, frozen=True, tag_field="entry"):
    """One line. ``at`` is when it happened, in nanoseconds of the host's monotonic clock."""

    at: int


class Started(Entry, frozen=True, tag="started"):
    """The member works on these queues from now on: (queue, epoch) each."""

    member: str
    grants: tuple[tuple[int, int], ...]


class Stopped(Entry, frozen=True, tag="stopped"):
    """The member does not touch these queues any more."""

    member: str
    queues: tuple[int, ...]
    ending: Ending


class Died(Entry, frozen=True, tag="died"):
    """The member's process is gone, and whatever it worked on is at rest."""

    member: str


class Processed(Entry, frozen=True, tag="processed"):
    """The member has processed one message."""

    member: str
    queue: int
    offset: int


class Produced(Entry, frozen=True, tag="produced"):
    """Kafka has acknowledged the message at this offset."""

    queue: int
    offset: int


AnyEntry = Started | Stopped | Died | Processed | Produced

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[AnyEntry] = msgspec.json.Decoder(AnyEntry)


def now() -> int:
    """The time that entries carry."""
    return time.monotonic_ns()


class JournalWriter:
    """Appends entries to a file of its own, unbuffered."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def note(self, entry: AnyEntry) -> None:
        """Hand the line to the kernel, which keeps it whatever becomes of us."""
        os.write(self._file, _ENCODER.encode(entry) + b"\n")

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class JournalReader:
    """Follows every journal of a directory while they are written."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._read: dict[Path, int] = {}

    def fresh(self) -> list[AnyEntry]:
        """The entries since the last call, in the order of time.

        Between two calls it is the order within each journal alone that holds.
        """
        entries = [entry for path in self._directory.glob("*.jsonl") for entry in self._tail(path)]
        return sorted(entries, key=lambda entry: entry.at)

    def _tail(self, path: Path) -> Iterator[AnyEntry]:
        begin = self._read.get(path, 0)
        with path.open("rb") as file:
            file.seek(begin)
            # A line without its end is still being written: it is read next time.
            lines, end, _ = file.read().rpartition(b"\n")
        self._read[path] = begin + len(lines) + len(end)
        return (_DECODER.decode(line) for line in lines.splitlines())


def whole(directory: Path) -> list[AnyEntry]:
    """Every entry of every journal, in the order in which it all happened."""
    return JournalReader(directory).fresh()
