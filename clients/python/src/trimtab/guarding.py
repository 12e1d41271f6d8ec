"""The member's side of its guard: it finds or starts one, says what it holds, and takes its leave.

A process that runs under `trimtab-guard` finds a guard by an environment variable; any other member
that wants one starts it (`guard`). Both are the same program, and hear the same lines
(`guard_lines`). Used by `engine`. Its one rule: a guard that cannot be told what is held now must
not speak of what was held once, so it is ended. (The connection is a bare number, which no garbage
collector closes while the process lives.)
"""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn, TypeGuard

from trimtab.errors import ConfigurationError, GuardError
from trimtab.guard_lines import ADDRESS, Farewell, Post, Refused, answer, line_of
from trimtab.holdings import Holdings

_SAY_S: Final = 1.0
"""For a guard to take a line; one that reads takes microseconds."""
_END_S: Final = 5.0
"""For a guard to end that is not needed any more."""
_WELCOME_S: Final = 10.0
"""For a guard to say that it watches: one that begins takes a second, and one that is full does
not answer at all."""
_CHUNK: Final = 65_536
_COMMAND: Final = (sys.executable, "-P", "-m", "trimtab.guard")


class Guard:
    """One member's guard.

    Args:
        post: What it is told at first.
        address: The socket at which it listens; None: start one.
    """

    def __init__(self, post: Post, address: str | None) -> None:
        self._post = post
        self._address = address
        self._connection: int | None = None
        self._talking = threading.Lock()
        """One thread at a time, or one might write where another has closed."""
        self._process: subprocess.Popen[bytes] | None = None
        """The guard, if it is ours alone."""
        self._pid: int | None = None
        """The guard's process, once it has said that it watches ours."""
        self._late_at: float | None = None
        """When it is said that the guard has not answered; None: there is no need to."""
        self._said = b""
        self._told: Holdings | None = None
        self._report: Callable[[GuardError], object] = str

    def start(self, report: Callable[[GuardError], object]) -> bool:
        """Find the guard, or start it; it connects to Kafka by itself. Tell whether there is one.

        Args:
            report: Told when nobody stands guard any more, or nobody does from the beginning.

        Raises:
            ConfigurationError: It cannot be started.
        """
        self._report = report
        try:
            line = line_of(self._post)
            connection = self._started() if self._address is None else _connected(self._address)
            connection.setblocking(False)  # noqa: FBT003 - as the standard library has it
            self._connection = connection.detach()
            self._late_at = time.monotonic() + _WELCOME_S
            self._say(line)
        except TypeError as error:
            report(GuardError(f"kafka: this option cannot be passed to a guard: {error}"))
        except GuardError as error:
            report(error)
        return self._connection is not None

    def has_spoken(self) -> bool:
        """Whether it has something to say, or should have by now, which `keep` will heed."""
        with self._talking:
            return self._hears() or self._is_late()

    def keep(self, holdings: Holdings) -> None:
        """Say what is held now; the application may be told afterwards."""
        try:
            with self._talking:
                if self._hears():
                    self._listen()
                if self._pid is not None and self._connection is not None:
                    self._keep(holdings)
                elif self._is_late():
                    self._miss()
        except GuardError as error:
            self._report(error)

    def dismiss(self) -> None:
        """Say farewell: all is in good order, and the guard has nothing to do."""
        with self._talking:
            if self._connection is None:
                return
            with suppress(GuardError):  # it has ended: so much the better
                self._say(line_of(Farewell()))
                self._close()
        if self._process is not None:
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def _started(self) -> socket.socket:
        if not hasattr(socket, "AF_UNIX"):
            raise ConfigurationError("guard: this system has no Unix sockets")
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                _COMMAND,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # a Ctrl-C in the terminal is the member's to handle
            )
        except OSError as error:
            ours.close()
            raise ConfigurationError(f"guard: it cannot be started: {error}") from error
        finally:
            theirs.close()
        return ours

    def _keep(self, holdings: Holdings) -> None:
        if holdings != self._told:
            self._told = holdings
            self._say(line_of(holdings))

    def _hears(self) -> bool:
        return self._connection is not None and _is_ready(self._connection, select.POLLIN, 0)

    def _is_late(self) -> bool:
        late_at = None if self._connection is None else self._late_at
        return late_at is not None and time.monotonic() >= late_at

    def _listen(self) -> None:
        """Take what it says: that it stands, that it does not, or, by closing, that it is dead."""
        assert self._connection is not None
        try:
            chunk = os.read(self._connection, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._mourn()
        *lines, self._said = (self._said + chunk).split(b"\n")
        for line in lines:
            try:
                said = answer(line)
            except ValueError as error:  # what it said before this line counts
                self._give_up(f"the guard says what cannot be read ({error})")
            if isinstance(said, Refused):
                self._give_up(f"the guard refuses: {said.reason}")
            self._pid, self._late_at = said.pid, None

    def _say(self, line: bytes) -> None:
        assert self._connection is not None
        rest, over_at = memoryview(line), time.monotonic() + _SAY_S
        while rest:
            try:
                rest = rest[os.write(self._connection, rest) :]
            except BlockingIOError:
                left = over_at - time.monotonic()
                if left <= 0 or not _is_ready(self._connection, select.POLLOUT, left):
                    if self._process is None and _is_guard(self._pid):
                        os.kill(self._pid, signal.SIGKILL)
                    self._give_up("the guard does not hear what is held")
            except OSError:
                self._mourn()

    def _miss(self) -> NoReturn:
        """Say once that it does not answer; it may still."""
        self._late_at = None
        why = f"the guard has not answered for {_WELCOME_S:.0f} s, as one that is full does not"
        raise GuardError(f"{why}: this member has no guard until it does")

    def _mourn(self) -> NoReturn:
        """Say that it is dead."""
        why = "the guard has ended"
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                why += f", with exit code {self._process.wait(_SAY_S)}"
        elif self._address is not None:
            _clear_up(Path(self._address))
        self._give_up(why)

    def _give_up(self, why: str) -> NoReturn:
        """Go on without; a guard of ours alone ends."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._close()  # not before: to a guard that goes on its end may mean that we are dead
        raise GuardError(f"{why}: this member has no guard")

    def _close(self) -> None:
        assert self._connection is not None
        os.close(self._connection)
        self._connection = None


def _connected(address: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(_SAY_S)
    try:
        connection.connect(address)
    except OSError as error:
        connection.close()
        if isinstance(error, ConnectionRefusedError):
            _clear_up(Path(address))
        why = "it has ended, or it is another container's"
        if isinstance(error, PermissionError):
            why = "it is another user's: start trimtab-guard as the user of its command"
        raise GuardError(
            f"no guard is at {address}, where {ADDRESS} says ({error}): {why}. This member "
            "has no guard"
        ) from error
    return connection


def _is_ready(connection: int, event: int, seconds: float) -> bool:
    poll = select.poll()  # `select` knows no numbers above 1,023
    poll.register(connection, event)
    return bool(poll.poll(seconds * 1_000))


def _is_guard(pid: int | None) -> TypeGuard[int]:
    """Tell whether this is a guard here as well, and not in a container that counts for itself."""
    with suppress(OSError):
        return b"trimtab.guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _clear_up(address: Path) -> None:
    """Remove what a guard that was killed has left."""
    with suppress(OSError):
        address.unlink()
        address.parent.rmdir()
