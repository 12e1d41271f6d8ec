"""`trimtab-guard -- COMMAND`: runs a command so that what it holds is released when it dies.

    trimtab-guard -- python worker.py

It passes signals on, takes over the command's exit code, and reaps orphans, so it may be a
container's entry point. Beside the command it starts the guard (`guard`), and tells the command by
the environment at which socket that listens. When the command is dead it waits, before it ends
itself, until the guard has spoken: a container ends with its first process.

Its one rule: it needs nothing but the standard library, and runs without the rest of this package,
for it lives as long as the command, and is to be small, and not to fail before it.
"""

import ctypes
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

ADDRESS: Final = "TRIMTAB_GUARD"
CANNOT: Final = 125
"""The supervisor itself fails; 126 and 127 are the shell's: cannot be run, is not there."""
_BACKLOG: Final = 1_024
_LONGEST_WAIT_S: Final = 120.0
"""For the guard to release, which gives up by itself after a session, or two: so this is for one
that hangs."""
_SUBREAPER: Final = 36
"""Linux's PR_SET_CHILD_SUBREAPER."""
_OWN: Final = {
    *(signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT, signal.SIGTRAP),
    *(signal.SIGSYS, signal.SIGKILL, signal.SIGSTOP),
    *(signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),  # the terminal's: it stops both of us
}
"""What is not passed on: faults of this process, and what cannot be caught."""

HELP: Final = """\
Run a command under a guard: if it dies of anything, its queues go to their heirs at once.

Examples:
  trimtab-guard -- python worker.py
  trimtab-guard -- java -jar worker.jar
  ENTRYPOINT ["trimtab-guard", "--", "python", "worker.py"]      (in a Dockerfile)

Usage: trimtab-guard [--help | --version] -- COMMAND [ARGUMENT...]

Members in the command find the guard by TRIMTAB_GUARD in their environment; a trimtab.Member
needs no option for it. Signals go to the command. Its orphans are reaped.

Exit codes: the command's, or 128 + n if signal n killed it; 125 if the guard cannot be set up,
126 if the command cannot be run, 127 if there is no such command.
"""


class Failure(Exception):  # noqa: N818 - it is how this ends
    """Why the command does not run, and with which code this ends."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Supervisor:
    """One command, and the guard beside it."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._control: socket.socket | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._pid = 0

    def run(self) -> int:
        """Run the command; return its exit code.

        Raises:
            Failure: It does not run.
        """
        waited = signal.valid_signals() - _OWN
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # were it ignored, no death would be told
        before = signal.pthread_sigmask(signal.SIG_BLOCK, waited)
        _adopt_orphans()
        address = self._start_guard()
        try:
            self._start_command(os.environ | {ADDRESS: address}, before)
            code = self._follow(waited)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # who cannot wait for the guard need not
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            self._await_guard()
        return code

    def _start_guard(self) -> str:
        listener, address = self._listen()
        self._control, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-m", "trimtab.guard"]
        with listener, theirs:
            try:
                self._guard = subprocess.Popen(
                    command,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    pass_fds=[listener.fileno()],
                    start_new_session=True,  # a Ctrl-C in the terminal is the command's to handle
                )
            except OSError as error:
                self._clear_up()
                raise Failure(CANNOT, f"the guard cannot be started: {error}") from error
            self._tell(kind="listen", file=listener.fileno(), folder=self._folder)
        return address

    def _listen(self) -> tuple[socket.socket, str]:
        """Open the socket, in a folder that others cannot enter."""
        trouble: OSError | None = None
        for place in (None, "/dev/shm"):  # noqa: S108 - where nothing else can be written
            listener = socket.socket(socket.AF_UNIX)
            try:
                self._folder = tempfile.mkdtemp(prefix="trimtab-guard-", dir=place)
                address = str(Path(self._folder) / "socket")
                listener.bind(address)
            except OSError as error:
                trouble = trouble or error
                listener.close()
                self._clear_up()
            else:
                listener.listen(_BACKLOG)
                return listener, address
        raise Failure(
            CANNOT,
            f"there is no place for its socket: {trouble}. Have TMPDIR name a folder that can be"
            " written, with a short name",
        )

    def _start_command(self, environment: dict[str, str], mask: set[int | signal.Signals]) -> None:
        program = self._command[0]
        try:
            self._pid = os.posix_spawnp(
                program,
                self._command,
                environment,
                setsigmask=mask,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # Python ignores them
            )
        except OSError as error:
            raise _why_not(program, error) from error

    def _follow(self, waited: set[signal.Signals]) -> int:
        """Pass signals on and reap, until the command is dead; return its exit code."""
        while True:
            came = signal.sigwaitinfo(waited)
            if came.si_signo == signal.SIGCHLD:
                code = self._reap()
                if code is not None:
                    return code
            elif came.si_code <= 0 or _is_for_us_alone(came.si_signo):
                try:
                    os.kill(self._pid, came.si_signo)
                except PermissionError:  # as `sudo` has it: the command lives on, and so do we
                    _say(f"signal {came.si_signo} may not be passed on to the command")

    def _reap(self) -> int | None:
        """Reap all that are dead; return the command's exit code, if it is among them."""
        code = None
        with suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    break
                if pid == self._pid:
                    ended = os.waitstatus_to_exitcode(status)
                    code = 128 - ended if ended < 0 else ended
                elif self._guard is not None and pid == self._guard.pid:
                    self._guard.returncode = os.waitstatus_to_exitcode(status)
                    self._clear_up()
                    _say("the guard has ended; if the command dies, that is found out by silence")
        return code

    def _await_guard(self) -> None:
        """Wait until the guard has said what is to be said of the command."""
        assert self._control is not None
        assert self._guard is not None
        if not self._pid:  # there is nobody to speak for
            self._guard.kill()
            self._clear_up()
            return
        self._tell(kind="ended", pid=self._pid, last=os.getpid() == 1)
        self._control.settimeout(_LONGEST_WAIT_S)
        with suppress(OSError):
            self._control.recv(1)  # it closes, and says nothing

    def _tell(self, **line: object) -> None:
        assert self._control is not None
        with suppress(OSError):  # it has ended, as its `wait` tells
            self._control.sendall(json.dumps(line).encode() + b"\n")

    def _clear_up(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _is_for_us_alone(number: int) -> bool:
    """Tell whether the command has not got this signal of the terminal's as well.

    A key goes to all processes in front. That the terminal is gone, as when its window is closed,
    is said to the first process of the session alone, and that may be us.
    """
    return number == signal.SIGHUP and os.getsid(0) == os.getpid()


def _adopt_orphans() -> None:
    """Become the parent of processes of the command that lose theirs; Linux alone knows how."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _why_not(program: str, error: OSError) -> Failure:
    found = program if os.sep in program else shutil.which(program)
    if found is None:
        return Failure(
            127, f"{program}: PATH names no folder with it: install it, or give its path"
        )
    if not Path(found).exists():
        return Failure(127, f"{program}: there is no such file. Give the path of a program")
    if Path(found).is_dir():
        return Failure(126, f"{program}: this is a folder. Give the path of a program")
    if error.errno == errno.ENOENT:
        return Failure(127, f"{program}: its interpreter is not installed: look at its first line")
    if error.errno == errno.EACCES:
        return Failure(126, f"{program}: it may not be executed: chmod +x, or name its interpreter")
    return Failure(126, f"{program}: {error.strerror}. Name its interpreter, or take another build")


def _say(line: str) -> None:
    with suppress(OSError):
        os.write(2, f"trimtab-guard: {line}\n".encode())


def _command_of(arguments: list[str]) -> list[str]:
    """Return the command; print what is asked for instead, and end."""
    if arguments[:1] in (["--help"], ["-h"]):
        sys.stdout.write(HELP)
        sys.exit(0)
    if arguments[:1] == ["--version"]:
        from importlib.metadata import version  # noqa: PLC0415 - the command is not kept waiting

        sys.stdout.write(f"trimtab-guard {version('trimtab')}\n")
        sys.exit(0)
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    elif arguments and arguments[0].startswith("-"):
        _say(f"{arguments[0]}: there is no such option. Put -- before the command; see --help")
        sys.exit(2)
    if not arguments:
        _say("no command. Say what to run: trimtab-guard -- COMMAND; see --help")
        sys.exit(2)
    return arguments


def main() -> NoReturn:
    """Run the command that the arguments name, without this package: in a third of the memory."""
    command = _command_of(sys.argv[1:])
    os.execv(sys.executable, [sys.executable, "-IS", __file__, *command])  # noqa: S606 - on purpose


def supervise(command: list[str]) -> int:
    """Run a command; return the exit code, whatever happens."""
    if not hasattr(signal, "sigwaitinfo"):
        _say("this system cannot tell who sent a signal: use Member(guard=True), or Linux")
        return CANNOT
    try:
        return Supervisor(command).run()
    except Failure as failure:
        _say(str(failure))
        return failure.code


if __name__ == "__main__":
    sys.exit(supervise(sys.argv[1:]))
