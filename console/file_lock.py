"""A lock that cannot go stale: the kernel releases it when its last holder is gone, however.

``flock`` belongs to the open file, and a child that inherits the file shares the lock. So the
embedded broker is handed the lock of its directory, and "is it running?" needs no process ids that
may have been reused: the lock is held exactly as long as the broker lives.

One rule: never delete a lock file; two processes could then hold two locks of one name.
"""

import fcntl
import os
from pathlib import Path
from typing import Self


class FileLock:
    """An exclusive lock on the file ``path``, which is created when missing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None

    @property
    def fd(self) -> int:
        """The open file that carries the lock, to be passed to a child."""
        assert self._fd is not None, "the lock is not held"
        return self._fd

    def acquire(self, *, wait: bool) -> bool:
        """Take the lock and say whether that worked; with ``wait`` it always does, some day."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._fd = self._lock(fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        return self._fd is not None

    def release(self) -> None:
        """Close our copy; a process that inherited it still holds the lock."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def is_held(self) -> bool:
        """Say whether a process holds the lock right now.

        It looks by taking the lock, shared, for a moment: others who look are not misled by that,
        but an ``acquire`` at that very moment fails and is to be repeated.
        """
        try:
            probe = self._lock(fcntl.LOCK_SH | fcntl.LOCK_NB, os.O_RDONLY)
        except FileNotFoundError:
            return False
        if probe is None:
            return True
        os.close(probe)
        return False

    def _lock(self, operation: int, access: int = os.O_RDWR | os.O_CREAT) -> int | None:
        fd = os.open(self.path, access | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(fd, operation)
        except BlockingIOError:
            os.close(fd)
            return None
        return fd

    def __enter__(self) -> Self:
        """Take the lock unless it is held already, and let go at the end."""
        if self._fd is None:
            self.acquire(wait=True)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
