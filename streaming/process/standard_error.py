"""A file for the JVM's standard error, which is a lock at the same time.

The JVM and the Python workers below it inherit our standard error. When they start it is a file, so
that their warnings do not run across the terminal. The file is locked, and a lock belongs to the
open file, not to the process that opened it; so it is held exactly as long as any of them lives,
even if their controller was killed and they have not noticed yet. The next controller waits for
that, because two drivers on one checkpoint would destroy each other's work (fault A5).

Java cannot turn its standard error over, so we do it at a start: the end of a large file is kept
beside it. It stays the same file, because the next controller locks what this one has open.

Used by ``session``. Its one rule: no JVM starts without the lock.
"""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PATIENCE_S: Final = 30.0
"""A JVM whose controller is gone ends within a second or two: when its batch is done."""
_RETRY_S: Final = 0.1
_LARGE: Final = 10_000_000
"""Bytes: as many as Spark's own log has in a file."""


class StandardErrorInUse(Exception):  # noqa: N818 - it names what is at hand
    """Another process still writes to the file."""


@contextmanager
def standard_error_to(path: Path) -> Iterator[int]:
    """Let processes that are started meanwhile inherit a file as their standard error.

    Yields:
        How much was in it before.

    Raises:
        StandardErrorInUse: Those that were started earlier do not end.
    """
    with path.open("ab") as file:
        _lock(file.fileno(), path)
        _turn_over(path)
        begun = path.stat().st_size
        sys.stderr.flush()
        ours = os.dup(2)
        os.dup2(file.fileno(), 2)
    try:
        yield begun
    finally:
        os.dup2(ours, 2)
        os.close(ours)


def _lock(file: int, path: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() >= deadline:
                raise StandardErrorInUse(str(path)) from error
            time.sleep(_RETRY_S)
        else:
            return


def _turn_over(path: Path) -> None:
    """Keep the end of a large file under another name, and begin it anew."""
    size = path.stat().st_size
    if size > _LARGE:
        with path.open("rb+") as file:
            file.seek(size - _LARGE)
            path.with_name(f"{path.name}.1").write_bytes(file.read())
            file.truncate(0)
