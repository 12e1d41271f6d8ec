"""Tests are dealt out to several processes, and all are run, whatever becomes of a process."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each starts pytest, and up to five processes of it

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

PURE = """
def test_it():
    pass
"""


def told(tmp_path: Path, processes: int, files: dict[str, str]) -> str:
    """What a run of these tests says."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        file = tmp_path / "tests" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "xdist", f"--numprocesses={processes}"),
            *("--dist=loadgroup", "-q"),
        ],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    ).stdout


@pytest.mark.parametrize("processes", [3, 4, 5])
@pytest.mark.parametrize("folder", ["integration", "unit"])
def test_a_process_that_dies_leaves_no_test_undone(
    tmp_path: Path, processes: int, folder: str
) -> None:
    """Once one left the others waiting for ever: what it had done was dealt out anew."""
    said = told(tmp_path, processes, {f"{folder}/test_dying.py": TESTS})

    assert "1 failed, 12 passed" in said, said


def test_a_single_test_is_run(tmp_path: Path) -> None:
    """Most processes have nothing to do."""
    said = told(tmp_path, 5, {"unit/test_pure.py": PURE})

    assert "1 passed" in said, said
