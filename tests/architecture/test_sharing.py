"""Tests are dealt out to several processes, and all are run, whatever becomes of a process."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.sharing import RESERVE

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

SLOW = """
import time
import pytest

@pytest.mark.parametrize("number", range(COUNT))
def test_it(number):
    time.sleep(0.1)
"""


def told(tmp_path: Path, processes: int, files: dict[str, str]) -> str:
    """What a run of these tests says."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:randomly\n")
    for name, text in files.items():
        file = tmp_path / "tests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", f"--numprocesses={processes}"),
            *("--dist=loadgroup", "--verbose"),
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    ).stdout


@pytest.mark.parametrize("processes", [3, 5])
def test_a_process_that_dies_leaves_no_test_undone(tmp_path: Path, processes: int) -> None:
    """Once one left the others waiting for ever: what it had done was dealt out anew."""
    said = told(tmp_path, processes, {"integration/test_dying.py": TESTS})

    assert "1 failed, 12 passed" in said, said


def test_one_more_process_begins_when_no_test_without_a_jvm_is_left(tmp_path: Path) -> None:
    """Before that the machine has enough to do; after it, tests with a JVM would leave it idle."""
    files = {
        "unit/test_pure.py": SLOW.replace("COUNT", "12"),
        "integration/test_dear.py": SLOW.replace("COUNT", "36"),
    }

    said = told(tmp_path, 5, files)

    assert "48 passed" in said, said
    begun = [it for it in said.splitlines() if re.match(r"\[gw\d+\]", it)]
    of_reserve = [at for at, it in enumerate(begun) if it.startswith(f"[{RESERVE}]")]
    assert of_reserve, said
    assert all("test_dear" in begun[at] for at in of_reserve)
    before = "".join(begun[: of_reserve[0]])
    assert before.count("test_pure") >= 12 - 4, said  # two in each of two hands
