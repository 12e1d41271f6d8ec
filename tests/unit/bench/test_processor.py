"""Processor time is counted for a whole family."""

import os
import subprocess
import sys
import time

from bench import processor

BUSY = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"


def test_a_grandchild_s_work_is_the_family_s() -> None:
    """Wherever the work is done below a process, and also after the worker has ended."""
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}], check=True)"
    before = processor.seconds(os.getpid())
    subprocess.run([sys.executable, "-c", nested], check=True)

    assert processor.seconds(os.getpid()) - before >= 0.25


def test_a_stranger_s_work_is_not() -> None:
    """A process that somebody else has started does not count."""
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert processor.seconds(child.pid) < 0.2
