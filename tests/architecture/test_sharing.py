"""Tests are dealt out to several processes, and all are run, whatever becomes of a process."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.builders.sharing import RESERVE

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
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range(COUNT))
def test_it(number):
    with Path("pure").open("a") as file:
        file.write("x")
"""
DEAR = """
import os
import time
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", range(12))
def test_it(number):
    begun = Path("begun")
    if os.environ["PYTEST_XDIST_WORKER"] == "RESERVE" and not begun.exists():
        begun.write_text(Path("pure").read_text())
    end = time.monotonic() + 60
    while not begun.exists():
        assert time.monotonic() < end
        time.sleep(0.01)
"""
_AT_HAND = 3
"""Tests that a process may have been dealt and has not done."""


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


def test_one_more_process_begins_when_no_test_without_a_jvm_is_left(tmp_path: Path) -> None:
    """Before that the machine has enough to do; after it, tests with a JVM would leave it idle."""
    pure = 40
    files = {
        "unit/test_pure.py": PURE.replace("COUNT", str(pure)),
        "integration/test_dear.py": DEAR.replace("RESERVE", RESERVE),
    }

    said = told(tmp_path, 5, files)

    assert f"{pure + 12} passed" in said, said
    assert len((tmp_path / "begun").read_text()) >= pure - 2 * _AT_HAND


def test_a_single_test_is_run(tmp_path: Path) -> None:
    """The process that it is dealt to may be the one in reserve."""
    said = told(tmp_path, 5, {"unit/test_pure.py": PURE.replace("COUNT", "1")})

    assert "1 passed" in said, said
