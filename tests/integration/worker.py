"""Members in a process of their own, so that it can die: python -m tests.integration.worker.

It takes their arguments as JSON objects, one each, joins, and works until somebody ends it, or one
fails: then it exits with 1. At SIGUSR1 it dies as its environment says.
"""

import ctypes
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Final

from trimtab import Member


def fork_and_be_killed() -> None:
    """Have a child that lives on, with all that was open."""
    if os.fork():
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(10)
    os._exit(0)


DEATHS: Final[dict[str, Callable[[], object]]] = {
    "abort": os.abort,
    "fork": fork_and_be_killed,
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),  # as the kernel does without memory
    "segfault": lambda: ctypes.string_at(0),
}


def main() -> None:
    """Be these members for as long as may be."""
    if (death := os.environ.get("TRIMTAB_TEST_DEATH")) is not None:
        signal.signal(signal.SIGUSR1, lambda *_: DEATHS[death]())
    with ExitStack() as stack:
        members = [stack.enter_context(Member(**json.loads(it))) for it in sys.argv[1:]]
        while not any(it.failure for it in members):
            time.sleep(0.1)
    sys.exit(1)


if __name__ == "__main__":
    main()
