"""`trimtab health`: the truth about the controller of a home."""

import errno
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from console.file_lock import FileLock
from streaming.process.readiness import Readiness, file_of, renew, write
from tests.builders.command_line import Run


def at_work(home: Path, pid: int, batch_age_s: float) -> None:
    """Leave the file of a controller whose last batch was so long ago."""
    write(home, Readiness(pid, "query", 3, None))
    then = time.time() - batch_age_s
    os.utime(file_of(home), (then, then))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home that the settings name."""
    monkeypatch.setenv("TRIMTAB_HOME", str(tmp_path))
    return tmp_path


def test_a_controller_whose_batches_are_committed_is_well(home: Path, run: Run) -> None:
    """However long it has been there."""
    at_work(home, os.getpid(), 10_000)
    renew(home)
    code, told, _ = run("health")

    assert 0 == code
    assert told.startswith("working: the last batch was committed 0.")


def test_a_controller_without_batches_is_not(home: Path, run: Run) -> None:
    """Its process lives, and Spark's pages would answer; Kafka is gone."""
    at_work(home, os.getpid(), 60)
    code, _, error = run("health")

    assert 3 == code
    said = r"trimtab: no batch has been committed for 6\d s: does Kafka answer\?\n"
    assert re.fullmatch(said, error), "it may take a second to ask"
    assert 0 == run("health", "--within", "2m")[0]


def test_programs_get_the_same_fields_however_it_is(home: Path, run: Run) -> None:
    """On stdout, with the same exit code."""
    absent = run("health", "-o", "json")
    at_work(home, os.getpid(), 60)
    silent = run("health", "-o", "json")
    well = run("health", "--within", "2m", "-o", "json")
    told = [json.loads(out) for _, out, _ in (absent, silent, well)]

    assert [(3, ""), (3, ""), (0, "")] == [(it[0], it[2]) for it in (absent, silent, well)]
    assert [("not well", False), ("not well", True), ("working", True)] == [
        (it["state"], it["batch_age_s"] is not None) for it in told
    ]
    assert all(it["detail"] for it in told)


def test_no_controller_is_not_well(home: Path, run: Run) -> None:
    """Not begun, or killed: its file may have stayed."""
    codes = [run("health")[0]]
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    at_work(home, process.pid, 0)
    code, _, error = run("health")

    assert [3, 3] == [*codes, code]
    assert "no controller is running" in error


@pytest.mark.slow
def test_a_controller_that_starts_or_tries_again_is_there(home: Path, run: Run) -> None:
    """It holds its lock, and its file is not there yet, or is what a killed one left."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    with FileLock(home / "controller.lock"):
        starting = run("health")
        at_work(home, process.pid, 0)
        after_a_kill = run("health")

    assert starting == after_a_kill
    assert 3 == starting[0]
    assert "has not committed a batch since its start" in starting[2]


@pytest.mark.parametrize(
    "content", [b'{"pid": 1, "later": true}', b"[]", b"", b"\xff", b'{"pid": -1}', b'{"pid": true}']
)
def test_the_file_of_another_release_is_read_as_far_as_it_can_be(
    home: Path, run: Run, content: bytes
) -> None:
    """It is as old as the last batch in every release; the lock says whether somebody is there."""
    file_of(home).write_bytes(content)
    with FileLock(home / "controller.lock"):
        assert 0 == run("health")[0]
    file_of(home).write_bytes(content.replace(b"1", b"99999999999999999999"))
    code, _, error = run("health")

    assert (3, True) == (code, "no controller is running" in error)


def test_whoever_may_not_look_is_told_so(
    home: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is no finding about the controller; as the superuser a test has to pretend."""

    def refused(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    at_work(home, os.getpid(), 0)
    monkeypatch.setattr(Path, "read_bytes", refused)
    code, _, error = run("health")

    assert 1 == code
    assert f"trimtab: {file_of(home)} cannot be read: Permission denied" in error
    assert 1 == len(error.splitlines())


def test_a_home_that_is_a_file_is_named(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is set."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRIMTAB_HOME", str(tmp_path / "file"))
    code, _, error = run("health")

    assert (1, 1) == (code, len(error.splitlines()))
    assert "Not a directory" in error


def test_the_process_of_somebody_else_lives(home: Path, run: Run) -> None:
    """It may not be signalled; process 1 is nobody's who runs tests, or may be."""
    at_work(home, 1, 0)

    assert 0 == run("health")[0]


def test_a_time_that_is_none_is_refused(run: Run) -> None:
    """With what was wrong."""
    assert 2 == run("health", "--within", "soon")[0]
