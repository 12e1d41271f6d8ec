"""A worker of the bench of clusters has its share of a core, and no more."""

import os
import signal
import subprocess
import sys
import time

import pytest

from bench.cluster.share import Share
from bench.processor import seconds

SPINS = "while True: pass"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SPINS!r}])"
SHARE = 0.2
LONG_S = 1.5


@pytest.mark.parametrize("code", [SPINS, PARENT], ids=["itself", "its child"])
def test_nobody_has_more_than_the_share(code: str) -> None:
    """Nor does a child that does the work; when it is over, all may have what there is."""
    with subprocess.Popen([sys.executable, "-c", code], process_group=0) as family:
        try:
            time.sleep(LONG_S / 10)
            with Share(family.pid, SHARE) as share:
                time.sleep(LONG_S)
                held = share.cores
            begun, before = time.monotonic(), seconds(family.pid)
            while seconds(family.pid) <= before:  # it goes on
                assert time.monotonic() < begun + LONG_S * 40
                time.sleep(LONG_S / 10)
        finally:
            os.killpg(family.pid, signal.SIGKILL)

    assert held < SHARE * 1.3
