"""Start the embedded broker, for as long as this process lives or for good.

``with EmbeddedKafka(home) as kafka`` is how programs use it: the broker hangs on a tether and dies
with the program, whatever kills that. ``start_detached`` is `trimtab kafka start`: the broker
stays until it is stopped. Both find a broker that already runs in the same home and use it, unless
its program was killed, and it ends; what they did not start they do not stop.

The story of a start: take the lock, format the data directory unless it is formatted, choose
ports, start the JVM (which inherits the lock), write down its address, and ask it for metadata
until it answers.
"""

import os
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Self

from console.embedded.broker_files import (
    AS_IT_IS,
    broker_properties,
    cluster_id,
    java_command,
)
from console.embedded.instance import STOP_GRACE_S, BrokerAddress, Instance
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.embedded.ports import choose_port
from console.embedded.readiness import answers, wait_until_ready
from console.errors import ExitCode, Failure
from console.file_lock import FileLock
from console.progress import SILENT, Progress
from console.tethered_process import TetheredProcess

START_TIMEOUT_S = 60.0
"""A start takes 2 to 3 s on two idle cores, and has taken 20 s at a load of 17."""

_RECORD_GRACE_S = 60.0
"""What it has loaded takes Java three seconds to write down, on idle cores."""

_PORT_ATTEMPTS = 3
_POLL_S = 0.1
_PORT_TAKEN = "Address already in use"

Spawn = Callable[[list[str | Path], IO[bytes], int], int]
"""Start a command with its output and the lock to hold, and return its process id."""


class EmbeddedKafka:
    """A broker that lives while the ``with`` block runs.

    Args:
        home: Where trimtab keeps its files; the broker's are in ``home/kafka`` and stay there.
        port: The port to listen on: 0 for any, None for 19092 if it is free and any otherwise.
        jars: Where the archives come from.
        progress: Who hears how long it takes.
        properties: More properties of the broker, or others in the place of ours; listeners are
            beside ours.
        record: Where it writes down, when it ends, what Java has loaded; None: nowhere.
    """

    def __init__(
        self,
        home: Path,
        *,
        port: int | None = None,
        jars: JarCache | None = None,
        progress: Progress = SILENT,
        properties: Mapping[str, str] = AS_IT_IS,
        record: Path | None = None,
    ) -> None:
        self.instance = Instance(home)
        self._port = port
        self._jars = jars or JarCache.default()
        self._progress = progress
        self._properties = properties
        self._recording = [f"-XX:ArchiveClassesAtExit={record}"] if record else []
        self._address: BrokerAddress | None = None
        self._process: TetheredProcess | None = None

    @property
    def bootstrap_servers(self) -> str:
        """What clients connect to, once started."""
        assert self._address is not None, "not started"
        return self._address.bootstrap_servers

    @property
    def log(self) -> Path:
        """The broker's log file."""
        return self.instance.log

    def start(self) -> Self:
        """Start the broker, or find the one that runs, and return when it answers.

        Raises:
            Failure: A tool is missing, the port is taken, or the broker does not come up.
        """
        self._jars.fetch(self._progress)
        start = _Start(
            self.instance,
            self._jars,
            self._progress,
            self._spawn,
            self._properties,
            os.getpid(),
        )
        try:
            self._address, _ = start.run(self._port)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """Stop the broker if we started it."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def _spawn(self, command: list[str | Path], output: IO[bytes], lock_fd: int) -> int:
        self.stop()  # of an attempt on a port that was snatched
        java, *rest = command
        self._process = TetheredProcess(
            [java, *self._recording, *rest],
            output=output,
            cwd=self.instance.directory,
            grace_s=_RECORD_GRACE_S if self._recording else STOP_GRACE_S,
            pass_fds=(lock_fd,),
        )
        return self._process.pid

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_detached(
    instance: Instance, *, port: int | None, jars: JarCache, progress: Progress
) -> tuple[BrokerAddress, bool]:
    """Start a broker that outlives us; also say whether it was started rather than found.

    Raises:
        Failure: As ``EmbeddedKafka.start``.
    """

    def spawn(command: list[str | Path], output: IO[bytes], lock_fd: int) -> int:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=instance.directory,
            pass_fds=(lock_fd,),
            start_new_session=True,
        ).pid

    jars.fetch(progress)
    return _Start(instance, jars, progress, spawn).run(port)


class _Start:
    """One attempt to have a running broker in ``instance``."""

    def __init__(
        self,
        instance: Instance,
        jars: JarCache,
        progress: Progress,
        spawn: Spawn,
        properties: Mapping[str, str] = AS_IT_IS,
        owner: int | None = None,
    ) -> None:
        self._instance, self._owner = instance, owner
        self._jars = jars
        self._progress = progress
        self._spawn = spawn
        self._properties = properties
        self._java = find_java()

    def run(self, port: int | None) -> tuple[BrokerAddress, bool]:
        """Start a broker or wait for the one that others run; say which of both."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            lock = self._instance.lock()
            if lock.acquire(wait=False):
                with lock, self._progress.step("starting the embedded Kafka"):
                    return self._launch(lock, port), True
            address = self._instance.running()
            if address is not None and self._is_of_use(address):
                return address, False
            time.sleep(_POLL_S)
        raise Failure(
            f"the broker in {self._instance.directory} is locked and does not answer",
            ExitCode.TIMEOUT,
        )

    def _is_of_use(self, address: BrokerAddress) -> bool:
        """Say whether a broker answers, and did not lose its program before that."""
        answered = answers(address.bootstrap_servers, self._instance.cluster)
        return answered and not address.is_ending

    def _launch(self, lock: FileLock, wanted: int | None) -> BrokerAddress:
        """Format and start, on other ports if another process has taken ours."""
        self._instance.prepare()
        reason = ""
        for _ in range(_PORT_ATTEMPTS):
            address = self._start_jvm(lock, choose_port(wanted))
            lock.release()
            if wait_until_ready(
                address.bootstrap_servers,
                alive=self._instance.is_running,
                timeout_s=START_TIMEOUT_S,
                cluster=self._instance.cluster,
            ):
                return address
            reason = self._instance.last_lines()
            self._instance.stop()
            if _PORT_TAKEN not in reason or not lock.acquire(wait=False):
                break
        raise Failure(
            f"the embedded Kafka did not start; its log is {self._instance.log} and ends:",
            details=reason,
        )

    def _start_jvm(self, lock: FileLock, port: int) -> BrokerAddress:
        instance = self._instance
        java = java_command(self._java, self._jars.kafka, logs=instance.logs, tmp=instance.tmp)
        controller_port = choose_port(0)
        properties = broker_properties(
            port=port, controller_port=controller_port, further=self._properties
        )
        instance.properties.write_text(properties)
        self._format(java)
        with instance.output.open("wb") as output:
            pid = self._spawn([*java, "kafka.Kafka", instance.properties], output, lock.fd)
        address = BrokerAddress(pid, port, self._owner)
        instance.announce(address)
        return address

    def _format(self, java: list[str | Path]) -> None:
        """Give the data directory its cluster id, once in its life."""
        if self._instance.is_formatted:
            return
        arguments: list[str | Path] = [
            "format",
            "--cluster-id",
            cluster_id(uuid.uuid4()),
            "--config",
            self._instance.properties,
        ]
        answer = subprocess.run(
            [*java, "kafka.tools.StorageTool", *arguments, "--ignore-formatted"],
            cwd=self._instance.directory,
            capture_output=True,
            text=True,
            check=False,
        )
        if answer.returncode != 0:
            raise Failure(
                f"could not format the storage of the embedded Kafka: {answer.stderr.strip()}"
            )
