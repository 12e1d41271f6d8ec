"""The member's side of its guard: it starts it, keeps its file up to date, and takes its leave.

The guard (`trimtab.guard`) is a process of its own at the other end of a pipe. When the pipe closes
without a farewell, this process is dead, and the guard releases what the file names. Used by
`engine`. Its one rule: the pipe is never closed without a farewell while this process lives, so its
end is a bare number, which no garbage collector closes. (A child made by `fork` has it as well: the
guard then waits for that child, too.)
"""

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from trimtab.errors import ConfigurationError, GuardError
from trimtab.holdings import Holdings, Post

FAREWELL: Final = b"farewell\n"
_END_S: Final = 5.0
"""For a guard to end that is not needed any more."""
_COMMAND: Final = (sys.executable, "-P", "-m", "trimtab.guard")


class Guard:
    """One member's guard."""

    def __init__(self, post: Post) -> None:
        self._post = post
        self._kept: Holdings | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: int | None = None
        try:
            post.written()
        except TypeError as error:
            raise ConfigurationError(f"kafka: a guard cannot be told this: {error}") from None

    def start(self) -> None:
        """Start the process; it connects by itself."""
        folder = tempfile.mkdtemp(prefix="trimtab-guard-")
        self._post = replace(self._post, path=str(Path(folder) / "holdings"))
        read, self._pipe = os.pipe()
        try:
            self._process = subprocess.Popen(
                _COMMAND,
                stdin=read,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C in the terminal is the member's to handle
            )
        except OSError as error:
            raise ConfigurationError(f"guard: it cannot be started: {error}") from error
        finally:
            os.close(read)
        self._tell(self._post.written())

    def keep(self, holdings: Holdings) -> None:
        """Have the file say what is held now; the application may be told afterwards.

        Raises:
            GuardError: It says something older, or nobody will read it.
        """
        if holdings == self._kept or self._process is None:
            return
        self._kept = holdings
        path = Path(self._post.path)
        fresh = path.with_suffix(".new")
        try:
            fresh.write_bytes(holdings.written())
            fresh.replace(path)
        except OSError as error:
            self._process.kill()  # rather nobody than one that would name the wrong heirs
            raise GuardError(f"the guard cannot be told what is held: {error}") from error
        if self._process.poll() is not None:
            code = self._process.returncode
            raise GuardError(f"the guard has ended, with exit code {code}: nobody stands in for it")

    def dismiss(self) -> None:
        """Say farewell: all is in good order, and the guard has nothing to do."""
        if self._process is None or self._pipe is None:
            return
        self._tell(FAREWELL)
        os.close(self._pipe)
        self._pipe = None
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        shutil.rmtree(Path(self._post.path).parent, ignore_errors=True)

    def _tell(self, line: bytes) -> None:
        assert self._pipe is not None
        with suppress(BrokenPipeError):  # it has ended; `keep` says so
            os.write(self._pipe, line)
