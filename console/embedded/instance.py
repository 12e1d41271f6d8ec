"""One embedded broker, by what is in its directory: its files, whether it runs, how to stop it.

``<home>/kafka`` holds everything: ``data`` (never deleted by us), ``logs``, ``tmp``, the lock that
the broker holds while it lives, and ``broker.json``, written under that lock. One rule:
``broker.json`` is believed only while the lock is held, so a stale file names no process, and no
signal goes to a process that is not the broker.
"""

import json
import os
import signal
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from console.embedded.broker_files import LOOPBACK
from console.errors import Failure
from console.file_lock import FileLock

STOP_GRACE_S = 15.0
"""A broker closes its files in about 2 s; one that takes longer than this hangs."""

_KILL_S = 5.0
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """What a running broker has written down about itself."""

    pid: int
    """Its process id, which is also its process group's."""
    port: int
    owner: int | None = None
    """The process that it ends with; None: it stays until it is stopped."""

    @property
    def is_ending(self) -> bool:
        """Say whether the process that it ends with is gone: it may answer for a moment yet."""
        if self.owner is None:
            return False
        try:
            os.kill(self.owner, 0)
        except ProcessLookupError:
            return True
        except PermissionError:  # it belongs to another user
            pass
        return False

    @property
    def bootstrap_servers(self) -> str:
        """What clients connect to."""
        return f"{LOOPBACK}:{self.port}"


class Instance:
    """The embedded broker below ``home``, running or not."""

    def __init__(self, home: Path) -> None:
        self.directory = home.absolute() / "kafka"
        self.data = self.directory / "data"
        self.logs = self.directory / "logs"
        self.tmp = self.directory / "tmp"
        self.properties = self.directory / "server.properties"
        self.log = self.logs / "broker.log"
        self.output = self.logs / "output.log"
        self._address = self.directory / "broker.json"
        self._meta = self.data / "meta.properties"

    def lock(self) -> FileLock:
        """The lock: the process that starts the broker takes it and hands it over."""
        return FileLock(self.directory / "lock")

    def is_running(self) -> bool:
        """Say whether a broker lives here, or is just being started."""
        return self.lock().is_held()

    def running(self) -> BrokerAddress | None:
        """The address of the broker that runs here, if one does and has got so far."""
        if not self.is_running():
            return None
        try:
            return BrokerAddress(**json.loads(self._address.read_text()))
        except (FileNotFoundError, json.JSONDecodeError):  # about to be written
            return None

    @property
    def is_formatted(self) -> bool:
        """Say whether the data directory has its cluster id."""
        return self._meta.exists()

    @property
    def cluster(self) -> str:
        """The id of the broker's cluster, once it is formatted."""
        lines = (line.partition("=") for line in self._meta.read_text().splitlines())
        return next(value for key, _, value in lines if key == "cluster.id")

    def prepare(self) -> None:
        """Make the directories and lay the last run aside. Only for the holder of the lock."""
        for directory in (self.data, self.logs, self.tmp):
            directory.mkdir(parents=True, exist_ok=True)
        self._address.unlink(missing_ok=True)
        if self.log.exists():
            self.log.replace(self.logs / "broker.previous.log")

    def announce(self, address: BrokerAddress) -> None:
        """Write down where the broker is. Only while it holds the lock."""
        self._address.write_text(json.dumps(asdict(address)))

    def stop(self) -> bool:
        """Stop the broker, by force if need be; False when none runs.

        Raises:
            Failure: Another process is just starting it, or it does not die.
        """
        if not self.is_running():
            return False
        address = self.running()
        if address is None:
            raise Failure(f"the broker in {self.directory} is still starting; try again")
        for number, patience_s in ((signal.SIGTERM, STOP_GRACE_S), (signal.SIGKILL, _KILL_S)):
            with suppress(ProcessLookupError):
                os.killpg(address.pid, number)
            if self._gone_within(patience_s):
                return True
        raise Failure(f"the broker in {self.directory} (process {address.pid}) does not stop")

    def last_lines(self, count: int = 12) -> str:
        """The end of what the broker said, without the frames of Java's stack traces."""
        said = [
            line
            for path in (self.log, self.output)
            if path.exists()
            for line in path.read_text(errors="replace").splitlines()
            if line.strip() and not line.startswith("\tat ")
        ]
        return "\n".join(said[-count:])

    def _gone_within(self, patience_s: float) -> bool:
        deadline = time.monotonic() + patience_s
        while self.is_running():
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_S)
        return True
