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
from bench.processor import family, seconds, used

SPINS = "while True: pass"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPINS!r}])"
SHARE = 0.2
LONG_S = 3.0
"""A late look lets a family have too much, once: what comes after it is taken from that."""
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


@pytest.mark.slow
@pytest.mark.parametrize(("code", "size"), [(SPINS, 1), (PARENT, 2)], ids=["itself", "its child"])
def test_nobody_has_more_than_the_share(code: str, size: int) -> None:
    """Nor does a child that does the work; when it is over, all may have what there is."""
    with started(code) as eldest, started(SPINS) as rival:
        try:
            until(lambda: len(family(eldest.pid)) == size)
            free = seconds(rival.pid)
            with Share(eldest.pid, SHARE) as share:
                time.sleep(LONG_S)
                held = share.cores
            free = (seconds(rival.pid) - free) / LONG_S
            before = seconds(eldest.pid)
            until(lambda: seconds(eldest.pid) > before)  # it goes on
        finally:
            os.killpg(eldest.pid, signal.SIGKILL)
            os.killpg(rival.pid, signal.SIGKILL)

    # Others may be at work as well: whoever nobody holds shows what there was to have meanwhile.
    assert min(SHARE, free) / 3 < held < SHARE * 1.5


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
