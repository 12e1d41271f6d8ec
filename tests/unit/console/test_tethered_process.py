"""A tethered process ends by itself, when it is stopped, and when we are gone; never later."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from console import tether_guard
from console.tethered_process import TetheredProcess

PATIENCE_S = 60.0


def python(code: str) -> list[str | Path]:
    """A command that runs ``code``."""
    return [sys.executable, "-c", code]


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return bool(state) and not state.startswith("Z")


def wait_for(path: Path) -> str:
    """What a process writes to ``path``, once it has."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if path.exists() and path.read_text().endswith("\n"):
            return path.read_text().strip()
        time.sleep(0.02)
    raise AssertionError(f"{path} was not written")


def gone(pid: int) -> bool:
    """Whether a process ends within our patience."""
    deadline = time.monotonic() + PATIENCE_S
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise SystemExit(0)", 0),
        ("raise SystemExit(7)", 7),
        ("import os; os.kill(os.getpid(), 9)", 128 + 9),
    ],
)
def test_its_own_end_is_passed_on(tmp_path: Path, code: str, expected: int) -> None:
    """The exit code is the child's, with shells' rule for signals."""
    with (tmp_path / "out").open("wb") as output:
        child = TetheredProcess(python(code), output=output)
        assert expected == child.wait(PATIENCE_S)
        assert expected == child.poll()
        assert expected == child.stop()


def test_output_goes_where_it_was_sent(tmp_path: Path) -> None:
    """Both streams of the child end in the file, and nothing of the guard's does."""
    with (tmp_path / "out").open("wb") as output:
        code = "import sys; print('out', flush=True); print('err', file=sys.stderr)"
        TetheredProcess(python(code), output=output).wait(PATIENCE_S)
    assert ["out", "err"] == (tmp_path / "out").read_text().split()


def test_a_command_that_does_not_exist_is_said_at_once(tmp_path: Path) -> None:
    """No process is left behind, and the error names the command."""
    with (
        (tmp_path / "out").open("wb") as output,
        pytest.raises(FileNotFoundError, match="nonesuch"),
    ):
        TetheredProcess(["nonesuch"], output=output)


def test_stop_is_polite_first(tmp_path: Path) -> None:
    """SIGTERM lets the child clean up, and its exit code tells that it did."""
    ready = tmp_path / "ready"
    code = (
        "import pathlib, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))\n"
        f"pathlib.Path({str(ready)!r}).write_text('yes\\n')\n"
        "time.sleep(60)\n"
    )
    with (tmp_path / "out").open("wb") as output:
        child = TetheredProcess(python(code), output=output)
        wait_for(ready)
        assert 3 == child.stop()


def test_stop_ends_whoever_does_not_listen(tmp_path: Path) -> None:
    """After the grace period the child and its own children are killed."""
    ready = tmp_path / "ready"
    code = (
        "import os, pathlib, signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "grandchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"pathlib.Path({str(ready)!r}).write_text(f'{{grandchild.pid}}\\n')\n"
        "time.sleep(60)\n"
    )
    with (tmp_path / "out").open("wb") as output:
        child = TetheredProcess(python(code), output=output, grace_s=0.3)
        grandchild = int(wait_for(ready))
        assert 128 + signal.SIGKILL == child.stop()
        assert gone(grandchild)


def test_it_dies_with_its_parent(tmp_path: Path) -> None:
    """SIGKILL gives the parent no chance to clean up, and still nothing outlives it."""
    note = tmp_path / "pid"
    parent = (
        "import pathlib, sys, time\n"
        "from console.tethered_process import TetheredProcess\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(60)']\n"
        "child = TetheredProcess(sleep, output=sys.stderr.buffer)\n"
        f"pathlib.Path({str(note)!r}).write_text(f'{{child.pid}}\\n')\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(python(parent)) as process:
        child = int(wait_for(note))
        assert is_alive(child)
        os.kill(process.pid, signal.SIGKILL)
    assert gone(child)


def test_it_dies_with_a_parent_that_was_killed_while_starting_it() -> None:
    """Nobody reads the process id any more, nobody holds the tether: the child ends at once."""
    sleep = python("import time; time.sleep(60)")
    read, write = os.pipe()
    os.close(read)
    with subprocess.Popen(
        [sys.executable, "-IS", tether_guard.__file__, "10", *sleep],
        stdin=subprocess.DEVNULL,
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    ) as guard:
        os.close(write)
        _, said = guard.communicate(timeout=PATIENCE_S)
    assert (128 + signal.SIGTERM, "") == (guard.returncode, said)
