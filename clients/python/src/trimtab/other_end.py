"""The process at the other end of a guard's connection: what it says, and whether it is dead.

A connection tells badly of a death: a child made by `fork` holds it open, and it may be closed by a
process that lives. So where the system has a way to watch a process (Linux: a pidfd), that tells;
elsewhere the closed connection does. Used by `guard`. Its one rule: what a process said before it
died is read before its death counts, so that its last word is the one that is used.
"""

import os
import select
import signal
import socket
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from trimtab.guard_lines import Answer, line_of

_LONGEST: Final = 64 * 1024 * 1024
"""Of a line: the names of all queues that a group may have, several times over."""
_CHUNK: Final = 1024 * 1024
_CREDENTIALS: Final = struct.Struct("3i")
"""Linux's `struct ucred`: process, user, group."""
_STRANGE: Final = (
    "/proc is another container's, so this process cannot be found there: mount its own"
    " (unshare --mount-proc, bwrap --proc /proc)"
)


class OtherEnd:
    """One process that has connected."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)  # noqa: FBT003 - as the standard library has it
        self.connection = connection
        self.is_closed = False
        """Nothing more will be said. The process may live."""
        self.pid = _pid_of(connection)
        """0: unknown, or of another container that is not within ours."""
        self.process: int | None = None
        """The pidfd, once it is watched; None where there is none."""
        self._said = bytearray()
        self._answering = threading.Lock()

    def refusal(self) -> str | None:
        """Say why it cannot be guarded: it counts by itself, as another container, or is unseen.

        One of the two cannot watch the other, or not end it by the number that it is told. The
        member may close the connection and work on: nobody would know whether what it said holds.
        """
        if not hasattr(socket, "SO_PEERCRED"):
            return None
        try:
            if str(Path("/proc/self").readlink()) != str(os.getpid()):
                return _STRANGE
            if self.pid and _depth_of(self.pid) == _depth_of("self"):
                return None
        except OSError as error:  # nobody could look who it is, and so might the member not at us
            return f"the guard cannot look who it is: {error}"
        return "it is in another container, and cannot end this process"

    def watch(self) -> None:
        """Watch the process, if there is a way; it still lives, or nothing is said of it later."""
        if self.pid and hasattr(os, "pidfd_open"):
            with suppress(OSError):  # an old kernel, or a sandbox that knows no such call
                self.process = os.pidfd_open(self.pid)

    def is_dead(self) -> bool:
        """Tell whether the process is known to be dead."""
        if self.process is None:
            return self.is_closed
        poll = select.poll()
        poll.register(self.process, select.POLLIN)
        return bool(poll.poll(0))

    def lines(self) -> list[bytes]:
        """Return what has been said since, whole lines; what breaks off counts for nothing.

        Raises:
            ValueError: A line is longer than any can be.
        """
        while not self.is_closed:
            try:
                chunk = self.connection.recv(_CHUNK)
            except BlockingIOError:
                break
            except OSError:
                chunk = b""
            self.is_closed = not chunk
            self._said += chunk
            if len(self._said) > _LONGEST:
                raise ValueError("it is too long")
        *whole, rest = self._said.split(b"\n")
        self._said = rest
        return [bytes(it) for it in whole]

    def say(self, answer: Answer) -> None:
        """Answer, if anybody listens; any thread may."""
        with self._answering, suppress(OSError):
            self.connection.sendall(line_of(answer))

    def kill(self) -> None:
        """End the process."""
        if self.pid:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        """Forget it."""
        self.connection.close()
        if self.process is not None:
            os.close(self.process)
            self.process = None


def _pid_of(connection: socket.socket) -> int:
    """Return who made the other end; 0 where nobody tells, or outside of our container."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    said = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid: int
    pid, _, _ = _CREDENTIALS.unpack(said)
    return pid


def _depth_of(process: int | str) -> int:
    """Return how many containers count it, one within the other; 0 where the system says nothing.

    One that does not see another has no number for it; one that does is fewer levels deep.
    """
    lines = Path(f"/proc/{process}/status").read_bytes().splitlines()
    return sum(len(it.split()) for it in lines if it.startswith(b"NSpid:"))
