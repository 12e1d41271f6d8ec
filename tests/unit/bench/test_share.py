"""A worker of the bench of clusters has its share of a core, and no more."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from bench.cluster.share import Share
from bench.processor import family, used

SPINS = "while True: pass"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPINS!r}])"
SHARE = 0.2
LONG_S = 3.0
"""A late look lets a family have too much, once: what comes after it is taken from that."""
MUCH_S = 0.3
"""Of processor time: more than is saved up, so whoever had it was stopped, and let go on."""
PATIENCE_S = 60.0


def until(condition: Callable[[], object]) -> None:
    """Wait for other processes."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def started(code: str) -> subprocess.Popen[bytes]:
    """A process with a group of its own."""
    return subprocess.Popen([sys.executable, "-c", code], process_group=0)


def used_by(process: subprocess.Popen[bytes]) -> float:
    """Processor time of one and of what it started."""
    return sum(used(it) or 0.0 for it in family(process.pid))


@pytest.mark.slow
@pytest.mark.parametrize(("code", "size"), [(SPINS, 1), (PARENT, 2)], ids=["itself", "its child"])
def test_nobody_has_more_than_the_share(code: str, size: int) -> None:
    """Nor does a child that does the work; it goes on all the time, and has all when it is over."""
    with started(code) as eldest:
        try:
            until(lambda: len(family(eldest.pid)) == size)
            with Share(eldest.pid, SHARE) as share:
                began, before = time.monotonic(), used_by(eldest)
                until(lambda: used_by(eldest) - before > MUCH_S)  # it is let go on, however late
                time.sleep(max(0.0, began + LONG_S - time.monotonic()))
                held = share.cores
            before = used_by(eldest)
            until(lambda: used_by(eldest) > before)
        finally:
            os.killpg(eldest.pid, signal.SIGKILL)

    assert held < 2 * SHARE


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whoever_was_stopped_is_let_go_on_whatever_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bench that fails leaves nobody behind who stands still for ever."""
    sent = Mock()
    looks = [0.0, 0.0, 5.0, OSError("no more files")]
    monkeypatch.setattr("bench.cluster.share.os.kill", sent)
    monkeypatch.setattr("bench.cluster.share.family", lambda _: {7: []})
    monkeypatch.setattr("bench.cluster.share.used", Mock(side_effect=looks))
    with Share(7, SHARE) as share:
        until(lambda: not share._thread.is_alive())  # noqa: SLF001 - it has failed

    assert [signal.SIGSTOP, signal.SIGCONT] == [it.args[1] for it in sent.call_args_list]


def test_who_has_ended_uses_nothing() -> None:
    """Its number is free."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass

    assert used(ended.pid) is None
    assert used(os.getpid())
