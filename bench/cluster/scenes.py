"""The scene: very many beats wait for a controller, whose workers have a share of a core each.

The controller is frozen while they are written, so all wait when it goes on; it and Kafka have what
is left of the machine. Called by the command. Its one rule: workers get nothing but their share.
"""

import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final, NamedTuple

from bench.backlog.flood import flood
from bench.cluster.share import Share
from bench.cluster.spark_cluster import HOST, SparkCluster, executors
from bench.floor.contender import Contender
from bench.floor.plan import Side
from bench.floor.race import make_topics, settings_of
from bench.floor.writer import Outlet
from bench.scale.outside import Outside
from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode, Failure
from console.progress import Progress
from streaming.process.readiness import read
from trimtab.protocol import DEFAULT_PARTITIONS

_PATIENCE_S: Final = 600.0
_LOOK_S: Final = 0.2
_CELLS: Final = 4
"""Of each partition: of so many every worker gets half, whatever their hashes."""


class Load(NamedTuple):
    """What waits, and for whom."""

    beats: int
    rows: int
    """Of a batch: what a batch costs besides is the driver's, and does not grow with workers."""
    share: float
    """Of a core, for each worker."""


class Seen(NamedTuple):
    """What was seen."""

    workers: int
    seconds: float
    rate: float
    """Beats a second."""
    cores: list[float]
    """What each worker had."""


def play(workers: int, load: Load, directory: Path, progress: Progress) -> Seen:
    """Let so many workers read what waits.

    Raises:
        Failure: Something did not start, or was not done in time.
    """
    enough = load.rows // 10  # there are always ticks that wait
    with ExitStack() as running:
        kafka = running.enter_context(EmbeddedKafka(directory, port=0, progress=progress))
        outlet = Outlet(Side.TRIMTAB, kafka.bootstrap_servers, "t.", DEFAULT_PARTITIONS)
        make_topics(outlet)
        spark = running.enter_context(SparkCluster(directory / "spark", workers))
        home = directory / "trimtab"
        settings = [*settings_of(outlet), *_cluster(spark, load, home)]
        controller = running.enter_context(Contender(Side.TRIMTAB, home, settings))
        outside = Outside(controller.pid, home / "checkpoint", outlet)
        running.enter_context(closing(outside))
        with progress.step(f"{workers} of Spark's workers start, and warm up"):
            _until(lambda: read(home) is not None, controller)
            flood(outlet.servers, outlet.prefix, load.rows)
            _until(lambda: outside.behind() < enough, controller)
        controller.freeze()
        with progress.step(f"{load.beats:,} beats are written"):
            flood(outlet.servers, outlet.prefix, load.beats)
        eldest = [pid for worker in spark.workers for pid in executors(worker)]
        if len(eldest) != workers:
            raise Failure(f"of {workers} workers {len(eldest)} have an executor")
        shares = [running.enter_context(Share(pid, load.share)) for pid in eldest]
        with progress.step(f"they read, with {load.share} cores each"):
            controller.thaw()
            began = time.monotonic()
            _until(lambda: outside.behind() < enough, controller)
            seconds = time.monotonic() - began
            return Seen(workers, seconds, load.beats / seconds, [it.cores for it in shares])


def _cluster(spark: SparkCluster, load: Load, home: Path) -> list[str]:
    options = {
        "spark.master": spark.url,
        "spark.driver_host": HOST,
        "spark.worker_python": spark.python,
        "spark.options.spark.executor.memory": "700m",
        "controller.cells_per_partition": _CELLS,
        "controller.checkpoint": home / "checkpoint",
        "controller.heartbeat_batch_rows": load.rows,
        "controller.stuck_after": "0s",
    }
    return [f"{name}={value}" for name, value in options.items()]


def _until(condition: Callable[[], bool], controller: Contender) -> None:
    """Wait for it.

    Raises:
        Failure: It does not come true.
    """
    deadline = time.monotonic() + _PATIENCE_S
    while not condition():
        controller.check()
        if time.monotonic() > deadline:
            raise Failure("the workers are not done in time", ExitCode.TIMEOUT)
        time.sleep(_LOOK_S)
