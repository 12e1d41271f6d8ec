"""The other end of the tether: a small process between us and a child that must not outlive us.

Nothing portable tells a process that its parent was killed; but a pipe whose last writer is gone
reads as ended, whatever killed the writer. So this guard starts the child in a session of its own,
blocks on its stdin, and when that ends it stops the child: politely, then, after the grace period,
its whole process group by force.

Run only by ``console.tethered_process``, as a file with ``python -IS`` and so with the standard
library alone: ``tether_guard.py GRACE_SECONDS COMMAND...``. The child writes to the guard's
stderr; the guard's stdout tells the child's process id.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress


def guard(grace_s: float, command: list[str]) -> None:
    """Run ``command`` until it ends or our stdin does."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        close_fds=False,  # what was handed to us (a lock) is meant for the child
        start_new_session=True,  # a Ctrl-C in the terminal is our parent's to handle
    )
    with suppress(BrokenPipeError):  # our parent is gone already, as our stdin is about to say
        os.write(sys.stdout.fileno(), f"{child.pid}\n".encode())
    threading.Thread(target=_end_with, args=(child,), daemon=True).start()
    sys.stdin.buffer.read()
    child.terminate()
    time.sleep(grace_s)  # cut short by `_end_with` as soon as the child is gone
    os.killpg(child.pid, signal.SIGKILL)
    threading.Event().wait()


def _end_with(child: "subprocess.Popen[bytes]") -> None:
    """Exit as the child did, leaving nothing of its group behind."""
    code = child.wait()
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    guard(float(sys.argv[1]), sys.argv[2:])
