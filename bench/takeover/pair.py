"""Two controllers over one checkpoint, which take turns.

Used by the bench of standbys. Whoever was killed comes back as a standby.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from console.errors import ExitCode, Failure
from console.tethered_process import TetheredProcess
from streaming.process.readiness import read, standby_age_s

_PATIENCE_S: Final = 240.0
_POLL_S: Final = 0.01


class Controller:
    """One of the two."""

    def __init__(self, home: Path, servers: str) -> None:
        self.home = home
        settings = {
            "home": home,
            "controller.name": home.name,
            "controller.checkpoint": home.parent / "checkpoint",
            "controller.ui_port": 0,
            "controller.http_port": 0,
            "kafka.bootstrap_servers": servers,
        }
        flags = [f"--set={name}={value}" for name, value in settings.items()]
        run = [sys.executable, "-m", "console.main", "run", "--standby", "--init-topics"]
        self._command = [*run, *flags]
        self._process: TetheredProcess | None = None

    def start(self) -> None:
        """Start it; it takes over if nobody is there."""
        self.home.mkdir(exist_ok=True)
        with (self.home / "controller.log").open("ab") as log:
            self._process = TetheredProcess(self._command, output=log)

    def is_ready(self) -> bool:
        """Whether it could take over."""
        return standby_age_s(self.home) is not None

    def is_at_work(self) -> bool:
        """Whether it has committed a batch."""
        return read(self.home) is not None

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for it.

        Raises:
            Failure: It has ended, or takes too long.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while not condition():
            if self._process is None or self._process.poll() is not None:
                raise Failure(f"{self.home.name} has ended; see {self.home}")
            if time.monotonic() > deadline:
                raise Failure(f"{self.home.name} takes too long", ExitCode.TIMEOUT)
            time.sleep(_POLL_S)

    def kill(self) -> None:
        """Kill it and its Java machine."""
        assert self._process is not None
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.stop()
