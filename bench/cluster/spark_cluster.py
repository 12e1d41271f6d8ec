"""A cluster of Spark's own: a master and workers of one core, whose Python has nothing of ours.

Used by ``scenes`` and by tests.
"""

import os
import signal
import sys
import venv
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import pyspark

from console.embedded.ports import choose_ports
from console.tethered_process import TetheredProcess

HOST: Final = "127.0.0.1"
_SPARK: Final = Path(pyspark.__file__).parent
_LIBRARIES: Final = {"pandas", "pyarrow", "msgspec", "pydantic"}
"""What docs/cluster.md asks for."""
_THEIRS: Final = {
    *("numpy", "numpy.libs", "pandas.libs", "dateutil", "six.py", "pytz", "tzdata"),
    *("pydantic_core", "annotated_types", "typing_extensions.py", "typing_inspection"),
}
"""What these bring."""
_GRACE_S: Final = 10.0
_SHORT: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For processes that do little: the second compiler and collectors of many threads never pay."""


def executors(worker: TetheredProcess) -> list[int]:
    """Return the processes that a worker has started for an application.

    One that an executor is about to start still looks like it for a moment, so it does not count.
    """
    found = dict[int, int]()
    for it in Path("/proc").glob("[0-9]*"):
        with suppress(ProcessLookupError, FileNotFoundError):  # it has ended meanwhile
            of_worker = os.getpgid(int(it.name)) == worker.pid
            if of_worker and b"CoarseGrainedExecutorBackend" in (it / "cmdline").read_bytes():
                after_name = (it / "stat").read_text().rpartition(")")[2].split()
                found[int(it.name)] = int(after_name[1])
    return [it for it, parent in found.items() if parent not in found]


class SparkCluster:
    """Its processes, each of which can be ended and started again.

    Args:
        home: For their files; the state of the master among them, so that it can come back.
        workers: How many.
    """

    def __init__(self, home: Path, workers: int) -> None:
        self.home = home
        self.python = foreign_python(home / "python")
        self._port, *self._pages = choose_ports(2 + workers)
        self._count = workers
        self.master: TetheredProcess | None = None
        self.workers: list[TetheredProcess] = []

    @property
    def url(self) -> str:
        """What `spark.master` is set to."""
        return f"spark://{HOST}:{self._port}"

    def start_master(self) -> None:
        """Start it, with what it knew."""
        at = ("--host", HOST, "--port", str(self._port), "--webui-port", str(self._pages[0]))
        self.master = self._start("master", "master.Master", *at)

    def start_worker(self, number: int) -> TetheredProcess:
        """Start one, in a directory of its own."""
        files = self.home / f"worker-{number}"
        page = str(self._pages[1 + number])
        at = ("--host", HOST, "--webui-port", page, "--work-dir", str(files))
        size = ("--cores", "1", "--memory", "1g")
        return self._start(f"worker-{number}", "worker.Worker", *at, *size, self.url)

    @staticmethod
    def end(process: TetheredProcess | None) -> None:
        """Kill one without a warning, with all that it has started."""
        assert process is not None, "not started"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(_GRACE_S)

    def log(self, name: str) -> str:
        """What one of them has said."""
        return (self.home / f"{name}.log").read_text(errors="replace")

    def __enter__(self) -> Self:
        self.start_master()
        self.workers = [self.start_worker(number) for number in range(self._count)]
        return self

    def __exit__(self, *_: object) -> None:
        for process in (*self.workers, self.master):
            if process is not None and process.poll() is None:
                process.stop()

    def _start(self, name: str, what: str, *arguments: str) -> TetheredProcess:
        kept = self.home / "master-state"
        kept.mkdir(parents=True, exist_ok=True)
        environment = {
            "PATH": os.environ["PATH"],
            "SPARK_HOME": str(_SPARK),
            "SPARK_LOCAL_DIRS": str(self.home / "scratch"),
            "SPARK_LAUNCHER_OPTS": _SHORT,
            "SPARK_DAEMON_JAVA_OPTS": f"{_SHORT} "
            f"-Dspark.deploy.recoveryMode=FILESYSTEM -Dspark.deploy.recoveryDirectory={kept}",
            "SPARK_DAEMON_MEMORY": "256m",
        }
        java = os.environ.get("JAVA_HOME")
        environment |= {} if java is None else {"JAVA_HOME": java}
        command: list[str | Path]
        command = [_SPARK / "bin" / "spark-class", f"org.apache.spark.deploy.{what}", *arguments]
        with (self.home / f"{name}.log").open("ab") as log:
            return TetheredProcess(
                command, output=log, cwd=self.home, env=environment, grace_s=_GRACE_S
            )


def foreign_python(home: Path) -> Path:
    """Make a Python that has what workers are asked to have, and nothing of ours."""
    venv.create(home, symlinks=True, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    (installed,) = Path(sys.prefix).glob("lib/python*/site-packages")
    for name in sorted(_LIBRARIES | _THEIRS):
        if (installed / name).exists():
            (packages / name).symlink_to(installed / name)
    return home / "bin" / "python"
