"""One of the two pipelines as a process that can be frozen while the other one is measured.

A frozen process (SIGSTOP) costs no core, and keeps what Java has compiled and Kafka's clients have
connected; stopping and starting queries instead would measure the start. Log time stands still
for it, and its ticks with it, as in any gap.

The process and its Java machine are one process group, which is what is frozen. Started by
``race``. Its one rule: it is thawed before it is stopped, or it could not hear that it is to stop.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Self, assert_never

from bench.floor.plan import Side
from console.errors import Failure
from console.tethered_process import TetheredProcess

_LINES = 12


class Contender:
    """A pipeline, running while the ``with`` block does.

    Args:
        side: Which one.
        home: Where it keeps its checkpoint and its logs.
        settings: ``KEY=VALUE``; both sides get the same, but for names.
        python: Of the installation that runs it; another build has its own.
    """

    def __init__(
        self, side: Side, home: Path, settings: Sequence[str], python: str = sys.executable
    ) -> None:
        self.side = side
        self.log = home / "process.log"
        home.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as output:
            self._process = TetheredProcess(
                _command(python, side, [*settings, f"home={home}", f"controller.name={side}"]),
                output=output,
                cwd=home,  # no settings file lies here
                env={name: text for name, text in os.environ.items() if _is_harmless(name)},
            )

    @property
    def pid(self) -> int:
        """The process that started all the others."""
        return self._process.pid

    def freeze(self) -> None:
        """Take it off the cores."""
        os.killpg(self._process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        os.killpg(self._process.pid, signal.SIGCONT)

    def kill(self) -> None:
        """End it without a warning."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.stop()

    def check(self) -> None:
        """Make sure that it lives.

        Raises:
            Failure: It has ended; with the end of its log.
        """
        code = self._process.poll()
        if code is not None:
            said = self.log.read_text(errors="replace").splitlines()[-_LINES:]
            raise Failure(
                f"the pipeline of {self.side} ended with exit code {code}; its log ends:",
                details="\n".join(said),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.thaw()
        self._process.stop()


def _command(python: str, side: Side, settings: Sequence[str]) -> list[str]:
    match side:
        case Side.FLOOR:
            return [python, "-m", "bench.floor.bare", *settings]
        case Side.TRIMTAB:
            flags = [f"--set={setting}" for setting in settings]
            return [python, "-m", "console.main", "run", *flags]
        case _:
            assert_never(side)


def _is_harmless(name: str) -> bool:
    """The caller's own settings might reach only one of the sides."""
    return not name.startswith("TRIMTAB_")
