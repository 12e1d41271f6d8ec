"""`trimtab health`: the truth about the controller of a home."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from streaming.process.readiness import Readiness, put_up, renew, sign
from tests.builders.command_line import Run


def at_work(home: Path, pid: int, batch_age_s: float) -> None:
    """Leave the sign of a controller whose last batch was so long ago."""
    put_up(home, Readiness(pid, "query", 3, None))
    then = time.time() - batch_age_s
    os.utime(sign(home), (then, then))


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

    assert (3, "trimtab: no batch has been committed for 60 s: does Kafka answer?\n") == (
        code,
        error,
    )
    assert 0 == run("health", "--within", "2m")[0]


def test_no_controller_is_not_well(home: Path, run: Run) -> None:
    """Not begun, or killed: its sign may have stayed."""
    codes = [run("health")[0]]
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    at_work(home, process.pid, 0)
    code, _, error = run("health")

    assert [3, 3] == [*codes, code]
    assert "no controller is running" in error


def test_a_time_that_is_none_is_refused(run: Run) -> None:
    """With what was wrong."""
    assert 2 == run("health", "--within", "soon")[0]
