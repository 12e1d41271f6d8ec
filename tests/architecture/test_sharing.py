"""Tests are dealt out to several processes, and all are run, whatever becomes of a process."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = """
from tests.builders.sharing import Sharing

def pytest_xdist_make_scheduler(config, log):
    return Sharing(config, log)
"""
TESTS = """
import os
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range(12))
def test_it(number):
    flag = Path("has_died")
    if number == 7 and not flag.exists():
        flag.touch()
        os._exit(1)
"""


def test_a_process_that_dies_leaves_no_test_undone(tmp_path: Path) -> None:
    """Once one left the others waiting for ever: what it had done was dealt out anew."""
    where = tmp_path / "tests" / "integration"
    where.mkdir(parents=True)
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n")
    (where / "test_dying.py").write_text(TESTS)

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--numprocesses=3", "--dist=loadgroup", "-q"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "1 failed, 12 passed" in done.stdout, done.stdout
