"""Steps of a batch, and a trap that ends a controller at one of them.

Spark writes a file when a batch is planned (`offsets`), then decides and publishes, and writes
another one when all is done (`commits`). Each file is written aside and renamed. The kernel tells
who watches these folders of each new file at once (inotify), so the kill comes within a step and
not somewhere. What it really hit is read afterwards, from what the dead controller has left.

Used by `kills`. The batch that is hit holds what was asked for.
"""

import ctypes
import os
import select
import struct
import time
from collections import deque
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, Self

from console.errors import ExitCode, Failure
from rebalance.clock import Log
from streaming.startup.batch_logs import positions_in


class Step(StrEnum):
    """Where a batch is."""

    BEFORE_OFFSETS = "before the offset log"
    AFTER_OFFSETS = "after the offset log"
    MID_SINK = "in the middle of the sink"
    AFTER_SINK = "after the sink, before the commit log"
    AFTER_COMMIT = "after the commit log"


_CREATED: Final = 0x100
_RENAMED: Final = 0x80
_HEAD: Final = struct.Struct("iIII")
"""inotify(7): IN_CREATE, IN_MOVED_TO, and what stands before each name."""
_MOST_BYTES: Final = 65_536
_LOOK_S: Final = 0.0005
"""Between two looks into Kafka: a batch writes for some milliseconds."""
_WAIT_S: Final = 0.01
"""Between two looks into the checkpoint, where nothing hurries."""
_PATIENCE_S: Final = 60.0
"""Batches come once a second."""


class Seen(NamedTuple):
    """A file that came into being."""

    folder: str
    name: str
    is_whole: bool
    """It has its name; before that it is still written."""


class Trap:
    """Watches a checkpoint while the ``with`` block runs."""

    def __init__(self, checkpoint: Path) -> None:
        self._checkpoint = checkpoint
        self._kernel = ctypes.CDLL(None, use_errno=True)
        self._folders: dict[int, str] = {}
        self._seen = deque[Seen]()

    def sprung(self, step: Step, place: Log, end: int, has_published: Callable[[], bool]) -> None:
        """Return as soon as a batch is at a step.

        Args:
            step: Which.
            place: The batch is the first one
            end: that reads this partition up to here.
            has_published: Whether the first record of that batch can be read.

        Raises:
            Failure: No such batch came.
        """
        deadline = time.monotonic() + _PATIENCE_S
        if step is Step.BEFORE_OFFSETS:  # the controller is frozen, so none comes
            return
        while self._read(self._await(_is_plan, deadline).name).get(place, 0) < end:
            pass
        if step is Step.MID_SINK:
            while not has_published():
                _in_time(deadline)
                time.sleep(_LOOK_S)
        elif step is not Step.AFTER_OFFSETS:
            whole = step is Step.AFTER_COMMIT
            self._await(lambda it: it.folder == "commits" and it.is_whole == whole, deadline)

    def _read(self, batch: str) -> dict[Log, int]:
        return positions_in((self._checkpoint / "offsets" / batch).read_text())

    def _await(self, wanted: Callable[[Seen], bool], deadline: float) -> Seen:
        while True:
            while self._seen:
                if wanted(seen := self._seen.popleft()):
                    return seen
            _in_time(deadline)
            self._hear(_PATIENCE_S)

    def _hear(self, patience_s: float) -> None:
        """Wait until something comes into being, and note it."""
        if not select.select([self._handle], [], [], patience_s)[0]:
            return
        news = os.read(self._handle, _MOST_BYTES)
        while news:
            watch, mask, _, length = _HEAD.unpack_from(news)
            name = news[_HEAD.size : _HEAD.size + length].rstrip(b"\0").decode()
            news = news[_HEAD.size + length :]
            self._seen.append(Seen(self._folders[watch], name, bool(mask & _RENAMED)))

    def __enter__(self) -> Self:
        self._handle = self._kernel.inotify_init1(0)
        for name in ("offsets", "commits"):
            path = str(self._checkpoint / name).encode()
            watch = self._kernel.inotify_add_watch(self._handle, path, _CREATED | _RENAMED)
            if watch < 0:
                raise OSError(ctypes.get_errno(), f"{name} cannot be watched")
            self._folders[watch] = name
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def await_done(checkpoint: Path, place: Log, end: int) -> None:
    """Wait until a batch that has read this partition up to here is over.

    Raises:
        Failure: None was in time.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while _done(checkpoint, place) < end:
        _in_time(deadline)
        time.sleep(_WAIT_S)


def _done(checkpoint: Path, place: Log) -> int:
    last = max(batches(checkpoint, "commits"), default=None)
    if last is None:
        return 0
    return positions_in((checkpoint / "offsets" / str(last)).read_text()).get(place, 0)


def batches(checkpoint: Path, folder: str) -> list[int]:
    """Return the batches that a folder has a file of."""
    return sorted(int(it.name) for it in (checkpoint / folder).iterdir() if it.name.isdecimal())


def _is_plan(seen: Seen) -> bool:
    return seen.folder == "offsets" and seen.is_whole and seen.name.isdecimal()


def _in_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise Failure("no batch came to the step that was waited for", ExitCode.TIMEOUT)
