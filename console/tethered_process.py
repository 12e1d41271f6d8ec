"""A child process that cannot outlive this one, even when this one is killed with SIGKILL.

The embedded broker, and other processes that we start for a while (the demo's members), are tied to
a pipe held by this process; see ``console.tether_guard`` for the other end. Children made by a bare
``fork`` (no exec) would inherit the pipe and keep it open: start such processes before, or not at
all.
"""

import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import IO

from console import tether_guard

_KILL_MARGIN_S = 5.0
"""From the guard's SIGKILL to its own exit; reaping is immediate unless the machine is stalled."""


class TetheredProcess:
    """``command``, running in a session of its own until it ends, is stopped, or we die.

    Args:
        command: The program and its arguments.
        output: Where its stdout and stderr go.
        cwd: Its working directory.
        env: Its environment; ours when not given.
        grace_s: How long it may take to stop after SIGTERM before its process group is killed.
        pass_fds: Open files that it inherits.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        *,
        output: IO[bytes],
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        grace_s: float = 10.0,
        pass_fds: Collection[int] = (),
    ) -> None:
        self._grace_s = grace_s
        self._guard = subprocess.Popen(
            [sys.executable, "-IS", tether_guard.__file__, str(grace_s), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            cwd=cwd,
            env=env,
            pass_fds=pass_fds,
            start_new_session=True,
        )
        assert self._guard.stdin is not None
        assert self._guard.stdout is not None
        self._tether = self._guard.stdin
        with self._guard.stdout as announcement:
            line = announcement.readline()
        if not line:
            self.wait()
            raise FileNotFoundError(f"{command[0]} could not be started")
        self.pid = int(line)
        """The child's process id, which is also its process group's."""

    def poll(self) -> int | None:
        """The exit code (128 + the signal for a killed child), or None while it runs."""
        return self._guard.poll()

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for the child's own end.

        Raises:
            subprocess.TimeoutExpired: It still runs.
        """
        code = self._guard.wait(timeout_s)
        self._tether.close()
        return code

    def stop(self) -> int:
        """Stop it with SIGTERM, then by force, and return its exit code."""
        self._tether.close()
        return self._guard.wait(self._grace_s + _KILL_MARGIN_S)
