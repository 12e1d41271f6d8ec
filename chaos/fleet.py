"""The members' processes: started, killed, frozen, doubled and restarted.

What is done to one is written down before it is done. Used by `injector` and the round.
"""

import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from bench.departures.supervised import SUPERVISED, commands
from chaos.history import Recorder
from console.errors import Failure

MEMBERS: Final = 4
_LEAVE_S: Final = 40.0
"""A member that leaves may work for 30 s on what has no heir."""
_LOOK_S: Final = 0.1
_REAPED_S: Final = 0.005
_SAID: Final = 8_000
"""A process that is aborted says where each of its dozen threads was."""

Command = Callable[[int, str], Sequence[str]]
"""How a member of this number is started, whose life is called so."""
_BEGIN_S: Final = 5.0
"""For `trimtab-guard` to begin its command, or to reap it."""
_KILLED: Final = {-signal.SIGKILL, 128 + signal.SIGKILL}


@dataclass
class Life:
    """One process, or `trimtab-guard` and its command."""

    who: str
    process: subprocess.Popen[bytes]
    guarded: bool = False
    expected: bool = False
    """Whether it is to end."""
    is_stopped: bool = False

    def pid(self) -> int | None:
        """The member's own process; None: `trimtab-guard` has none yet, or none any more."""
        if not self.guarded:
            return self.process.pid
        deadline = time.monotonic() + _BEGIN_S
        while self.process.poll() is None and time.monotonic() < deadline:
            if found := commands(self.process.pid):
                return found[0]
            time.sleep(_LOOK_S)
        return None

    def tell(self, number: signal.Signals) -> int | None:
        """Send the member a signal, and return whom; None: it is not there."""
        pid = self.pid()
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
        return pid


class Fleet:
    """Some members of one group, while the ``with`` block lasts."""

    def __init__(
        self, home: Path, command: Command, record: Recorder, guarded: Collection[int] = ()
    ) -> None:
        self._home, self._command = home, command
        self._record, self._guarded = record, guarded
        self._speaking = list[subprocess.Popen[bytes]]()
        """Each `trimtab-guard` whose command was killed, and that may have to say so still."""
        self._lives = Counter[int]()
        self._lock = threading.RLock()
        self.members: list[list[Life]] = [[] for _ in range(MEMBERS)]
        """The processes of each: none, one, or two."""

    def start(self, number: int) -> None:
        """Start a member, beside whatever has its name."""
        self._lives[number] += 1
        who = f"m{number}.{self._lives[number]}"
        command, guarded = self._command(number, who), number in self._guarded
        if guarded:
            command = [*SUPERVISED, *command]
        with self._lock, (self._home / f"{who}.log").open("wb") as log:
            self._record.add("started", who)
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=log, stdout=log)
            self.members[number].append(Life(who, process, guarded))

    def kill(self, number: int) -> None:
        """Kill what has this name."""
        for life in self._of(number):
            with self._lock:
                self._kill(life)
        self.look()

    def stop(self, number: int) -> None:
        """Freeze a member."""
        for life in self._of(number):
            if life.pid() is not None:  # or one that goes on would be excused for what it does
                self._record.add("stopped", life.who)
                life.is_stopped = True
                life.tell(signal.SIGSTOP)

    def resume(self, number: int) -> None:
        """Thaw it."""
        for life in self._of(number):
            life.tell(signal.SIGCONT)
            if life.is_stopped:
                self._record.add("resumed", life.who)
                life.is_stopped = False

    def double(self, number: int) -> None:
        """Start another process of this name."""
        for life in self._of(number):
            self._record.add("doubled", life.who)
        self.start(number)

    def single(self, number: int) -> None:
        """Kill all but the youngest of this name."""
        for life in self._of(number)[:-1]:
            with self._lock:
                self._kill(life)
        self.look()

    def be_slow(self, number: int) -> None:
        """Have a member be slow with its next message."""
        for life in self._of(number):
            life.tell(signal.SIGUSR1)

    def leave(self, number: int) -> None:
        """Have a member end in good order, and wait for it."""
        self.tell_to_leave(number)
        self.wait_for_end(number)

    def wait_for_end(self, number: int) -> None:
        """Wait for a member that was told to end."""
        deadline = time.monotonic() + _LEAVE_S
        while self._of(number):
            if time.monotonic() > deadline:
                self._record.add("died", self._of(number)[0].who, said="does not leave")
                self.kill(number)
            time.sleep(_LOOK_S)
            self.look()

    def tell_to_leave(self, number: int) -> None:
        """Have a member end in good order."""
        for life in self._of(number):
            life.expected = True
            life.process.send_signal(signal.SIGTERM)

    def look(self) -> None:
        """Write down who has ended."""
        with self._lock:
            for those in self.members:
                for life in [it for it in those if it.process.poll() is not None]:
                    code = life.process.returncode
                    if code not in _KILLED or not life.expected:
                        if life.expected and code == 0:
                            self._record.add("ended", life.who)
                        else:
                            said = f"code {code}, said {self._last_said(life)}"
                            self._record.add("died", life.who, said=said)
                    assert life.process.stdin is not None
                    life.process.stdin.close()
                    those.remove(life)

    def complete(self) -> None:
        """Start whoever is not there."""
        self.look()
        for number, those in enumerate(self.members):
            if not those:
                self.start(number)

    def _last_said(self, life: Life) -> str:
        """The end of its log: what aborted it, and where its threads were."""
        return (self._home / f"{life.who}.log").read_text(errors="replace")[-_SAID:]

    def _of(self, number: int) -> list[Life]:
        with self._lock:
            return [it for it in self.members[number] if it.process.poll() is None]

    def _kill(self, life: Life) -> None:
        """Kill a member; whether its guard has said so already is not waited for."""
        life.expected = True
        self._record.add("killed", life.who)
        pid = life.tell(signal.SIGKILL)
        if pid in {None, life.process.pid}:
            life.process.kill()
            life.process.wait()
            return
        deadline = time.monotonic() + _BEGIN_S
        while Path(f"/proc/{pid}").exists():
            if time.monotonic() > deadline:
                raise Failure(f"{life.who} was killed, and its guard does not reap it")
            time.sleep(_REAPED_S)
        for those in self.members:
            if life in those:
                those.remove(life)
        assert life.process.stdin is not None
        life.process.stdin.close()
        self._speaking.append(life.process)

    def __enter__(self) -> Self:
        self.complete()
        return self

    def __exit__(self, *_: object) -> None:
        for number in range(len(self.members)):
            self.kill(number)
        for guard in self._speaking:
            guard.kill()
            guard.wait()
