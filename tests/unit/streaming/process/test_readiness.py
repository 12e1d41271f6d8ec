"""The file which says that a controller is at work."""

import os
import subprocess
import sys
import time
from pathlib import Path

from streaming.process.readiness import (
    Readiness,
    age_s,
    file_of,
    read,
    removed,
    stand_by,
    standby_age_s,
    write,
)


def test_the_sign_hangs_while_a_controller_runs(tmp_path: Path) -> None:
    """It is read as it was written, and is gone afterwards."""
    readiness = Readiness(os.getpid(), "query", 3, "http://127.0.0.1:4040")
    with removed(tmp_path):
        assert read(tmp_path) is None
        write(tmp_path, readiness)
        assert readiness == read(tmp_path)

    assert not file_of(tmp_path).exists()


def test_the_sign_of_a_dead_process_says_nothing(tmp_path: Path) -> None:
    """A controller that was killed could not remove its file."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    write(tmp_path, Readiness(process.pid, "query", 3, None))

    assert read(tmp_path) is None


def test_a_clock_that_was_set_back_makes_nobody_ready(tmp_path: Path) -> None:
    """A file of the future was written before: how long ago nobody knows."""
    write(tmp_path, Readiness(os.getpid(), "query", 3, None))
    stand_by(tmp_path)
    ahead = time.time() + 3_600
    for path in (file_of(tmp_path), tmp_path / "standby"):
        os.utime(path, (ahead, ahead))

    assert (age_s(tmp_path) or 0) > 3_000
    assert (standby_age_s(tmp_path) or 0) > 3_000


def test_who_works_is_no_standby_any_more(tmp_path: Path) -> None:
    """Killed then, it must not look like a standby that is ready when it starts again."""
    stand_by(tmp_path)
    assert standby_age_s(tmp_path) is not None
    write(tmp_path, Readiness(os.getpid(), "q", 1, None))

    assert standby_age_s(tmp_path) is None
