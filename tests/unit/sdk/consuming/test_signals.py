"""Signals while a block is left, and in a process that was forked while one of the other ran."""

import subprocess
import sys
from typing import Final

import pytest

FORKED: Final = """
import os, signal, sys
from trimtab.consuming.signals import Signals

Signals(lambda: print("parent", flush=True)).take()
if (pid := os.fork()) == 0:
    mine = Signals(lambda: print("child", flush=True))
    if "takes" in sys.argv:
        mine.take()
    os.kill(os.getpid(), int(sys.argv[1]))
    mine.give_back()
    restored = signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    print("in good order", restored, flush=True)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


LEFT: Final = """
import os, signal, sys
from trimtab.consuming.signals import Signals

block = Signals(lambda: print("stop", flush=True), lambda: True)
block.take()
os.kill(os.getpid(), int(sys.argv[1]))
print("leaving", flush=True)
try:
    block.give_back()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(("number", "end"), [(2, ["interrupted"]), (15, [])])
def test_a_signal_while_the_block_is_left_counts_after_that(number: int, end: list[str]) -> None:
    """It ends no loop: the program would make its next consumer as if there had been none."""
    command = [sys.executable, "-c", LEFT, str(number)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert ["leaving", *end] == done.stdout.splitlines(), done.stderr
    assert (0 if end else -number) == done.returncode


@pytest.mark.parametrize("number", [2, 15])
def test_a_block_in_a_fork_is_ended_by_a_signal(number: int) -> None:
    """As in any process: the other one, whose block it was, is not asked."""
    command = [sys.executable, "-c", FORKED, str(number), "takes"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert ["child", "in good order True", "0"] == done.stdout.splitlines(), done.stderr


def test_a_fork_without_a_block_ends_at_once() -> None:
    """As if there were no handler."""
    command = [sys.executable, "-c", FORKED, "15"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)

    assert ["-15"] == done.stdout.splitlines(), done.stderr
