"""An installation to be hurt: a Kafka and a controller, each a process with a Java machine.

The command starts both for itself. The test has them of its own, which fit the same protocols.
"""

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from chaos.lines import Lines
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.tethered_process import TetheredProcess
from streaming.process.readiness import read

_START_S: Final = 240.0
"""A start takes 10 s on two idle cores, and has taken 100 on busy ones."""
_QUICKLY: Final = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
"""It is killed every minute: the second compiler would take time from starts, and never pay."""
_POLL_S: Final = 0.1
_LINES: Final = 20
_NOTHING: Final[Mapping[str, object]] = {}


class Killable(Protocol):
    """A controller, as this package or a test has it."""

    prefix: str

    @property
    def pid(self) -> int:
        """Its process, which leads its process group."""
        ...

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        ...

    def last_words(self) -> str:
        """How it ended, and the end of its log."""
        ...

    def start(self) -> object:
        """Start it and wait until it is at work."""
        ...

    def kill(self) -> None:
        """Kill it and its Java machine."""
        ...


class Broker:
    """The Kafka, which keeps its port over restarts."""

    def __init__(self, kafka: EmbeddedKafka, lines: Lines | None = None) -> None:
        self.kafka = kafka
        self.lines = Lines(()) if lines is None else lines

    @property
    def servers(self) -> str:
        """Where it is."""
        return self.kafka.bootstrap_servers

    def freeze(self) -> None:
        """Have it say nothing."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        """Stop it in good order."""
        self.kafka.stop()

    def start(self) -> None:
        """Start it again."""
        port = int(self.servers.rsplit(":")[-1])
        home, properties = self.kafka.instance.directory.parent, self.lines.properties
        self.kafka = EmbeddedKafka(home, port=port, properties=properties).start()

    def _signal(self, number: signal.Signals) -> None:
        address = self.kafka.instance.running()
        assert address is not None
        os.kill(address.pid, number)


class Controller:
    """One controller, as `trimtab run` starts it."""

    def __init__(
        self, home: Path, servers: str, prefix: str, further: Mapping[str, object] = _NOTHING
    ) -> None:
        self.prefix = prefix
        self._home = home
        settings = {
            "home": home,
            "kafka.bootstrap_servers": servers,
            "topics.prefix": prefix,
            "controller.ui_port": 0,
            "controller.http_port": 0,
            # To write and compile Java for a few rows takes longer than to interpret.
            "spark.options.spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.options.spark.sql.codegen.wholeStage": "false",
            **further,
        }
        flags = [f"--set={name}={value}" for name, value in settings.items()]
        self._command = [sys.executable, "-m", "console.main", "run", "--init-topics", *flags]
        self._process: TetheredProcess | None = None
        self._log = home / "controller.log"

    @property
    def pid(self) -> int:
        """Its process, which leads its process group."""
        assert self._process is not None, "not started"
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it is at work.

        Raises:
            Failure: It does not come up.
        """
        self._home.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            environment = os.environ | {"SPARK_SUBMIT_OPTS": _QUICKLY}
            self._process = TetheredProcess(self._command, output=log, env=environment)
        deadline = time.monotonic() + _START_S
        while read(self._home) is None:
            if not self.is_running or time.monotonic() > deadline:
                text = "the controller does not start"
                raise Failure(text, ExitCode.TIMEOUT, details=self.last_words())
            time.sleep(_POLL_S)

    def last_words(self) -> str:
        """How it ended, and the end of its log."""
        code = None if self._process is None else self._process.poll()
        said = self._log.read_text(errors="replace").splitlines()[-_LINES:]
        return "\n".join([f"exit code {code}; its log ends:", *said])

    def kill(self) -> None:
        """Kill it and its Java machine."""
        assert self._process is not None, "not started"
        with suppress(ProcessLookupError):  # it is dead already
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


Installation = tuple[Broker, Killable]
"""What a round is played on."""
