"""A lock lives exactly as long as whoever holds it or has inherited it."""

import subprocess
import sys
from pathlib import Path

from console.file_lock import FileLock

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    """Whoever comes second is refused until the first lets go."""
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.acquire(wait=False)
    assert not second.acquire(wait=False)
    first.release()
    assert second.acquire(wait=False)
    second.release()


def test_looking_takes_nothing(tmp_path: Path) -> None:
    """`is_held` tells the truth and leaves the lock as it was, even when the file is missing."""
    lock = FileLock(tmp_path / "deep" / "lock")
    assert not lock.is_held()
    with lock:
        assert FileLock(lock.path).is_held()
    assert not FileLock(lock.path).is_held()


def test_a_child_inherits_it_and_sigkill_ends_it(tmp_path: Path) -> None:
    """The lock stays with the child after we let go, and is free as soon as the child is killed."""
    lock = FileLock(tmp_path / "lock")
    assert lock.acquire(wait=False)
    with subprocess.Popen(SLEEP, pass_fds=(lock.fd,)) as child:
        lock.release()
        assert lock.is_held()
        child.kill()
        child.wait()
        assert not lock.is_held()
