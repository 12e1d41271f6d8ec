"""The Spark session: how it is started, and every option that is not Spark's default.

Each option has its reason beside it. Figures were measured on two cores with pyspark 4.2.0; where
a row says "a batch", remember that a hand-over waits for one. What an operator passes in
``spark.options`` is applied last and wins; Java's flags and its class path are added to ours.

Called by ``application`` and by the bench. Its one rule: no other module sets a Spark option
(those of the Kafka source and sink are in ``pipeline``, where they are used).
"""

import os
import shutil
import sys
from pathlib import Path

from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from streaming import class_archive
from streaming.jvm import note_jvm
from streaming.options import Options
from streaming.parcel import archived
from streaming.process.sockets import meeting_place
from streaming.process.standard_error import StandardErrorInUse, standard_error_to
from streaming.topics import ROUTINE, URGENT
from streaming.wire.places import TASKS

_LOOPBACK = "127.0.0.1"
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_LAST_BYTES = 10_000
"""In which the last lines are that somebody reads."""

_SECOND_COMPILER_LATER = (
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
    "-XX:Tier4BackEdgeThreshold=400000",
)
"""Java's second compiler begins ten times later than by default. Half of a start's processor time
was its own, spent on what then runs a few times a second and is no faster for it: 18.5 s until
ready, now 13.4. What each record passes through is run so often within a second or two."""

_ADDED = {
    "spark.driver.extraJavaOptions": " ",
    "spark.driver.extraClassPath": os.pathsep,
    "spark.jars": ",",
}
"""Lists, and what is between their items. With a flag of the operator's in place of ours a driver
would outlive the end of its memory and log elsewhere; of two that differ Java takes the last. With
a jar in place of ours a cluster's workers would lack the one of Kafka."""


class SparkNotStarted(Exception):  # noqa: N818 - it names what happened
    """There is no session: the message says why and where to look."""


_LAUNCHER = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Of the Java that makes the command line of Spark's own, and ends: 0.26 s instead of 0.42."""


def start_session(options: Options) -> SparkSession:
    """Start Spark and its JVM.

    Raises:
        SparkNotStarted: The JVM did not come up, or that of a killed controller does not end.
    """
    # Read by PySpark when it starts the JVM and the workers; there is no Spark option for either.
    spark = options.spark
    os.environ["PYSPARK_PYTHON"] = sys.executable if spark.is_here else spark.worker_python
    os.environ |= ui_environment(spark.ui_address)
    os.environ.setdefault("SPARK_LAUNCHER_OPTS", _LAUNCHER)
    logs(options).mkdir(parents=True, exist_ok=True)
    output = logs(options) / "spark.out"
    try:
        with standard_error_to(output) as begun:
            session = _started(options, output, begun)
    except StandardErrorInUse as error:
        raise SparkNotStarted(
            f"the Spark of an earlier controller in {options.home} has not ended"
        ) from error
    if not spark.is_here:
        session.sparkContext.addPyFile(str(archived(scratch(options))))
    return session


def _started(options: Options, output: Path, begun: int) -> SparkSession:
    shutil.rmtree(scratch(options), ignore_errors=True)  # what a killed one left behind
    scratch(options).mkdir(parents=True)
    builder = SparkSession.builder.appName(options.name)
    for name, value in (_sockets(options) | session_options(options)).items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise SparkNotStarted(
            f"Spark's JVM did not start: {_last(output, begun)}; see {output}"
        ) from error
    note_jvm(session)
    return session


def ui_environment(address: str) -> dict[str, str]:
    """Return where the UI listens, and under which name it is told: there is no option for either.

    Without the first one it would listen on every interface.
    """
    return {"SPARK_LOCAL_IP": address, "SPARK_PUBLIC_DNS": address}


def _last(output: Path, begun: int) -> str:
    """Return the last lines that the JVM has written beyond what was there: why it gave up."""
    with output.open("rb") as file:
        file.seek(max(begun, output.stat().st_size - _LAST_BYTES))
        lines = file.read().decode(errors="replace").splitlines()
    return "; ".join([line.strip() for line in lines if line.strip()][-3:]) or "it said nothing"


def session_options(options: Options) -> dict[str, str]:
    """Return every option of the session but where its sockets are."""
    chosen = {
        **_runtime(options),
        **_cluster(options),
        **_streaming(options),
        **_user_interface(options),
    }
    if options.spark.is_here and "://" not in options.query.checkpoint:
        chosen |= _LOCAL_CHECKPOINT
    for name, value in options.spark.further.items():
        items = filter(None, (chosen.get(name), value)) if name in _ADDED else (value,)
        chosen[name] = _ADDED.get(name, "").join(items)
    return chosen


def readers(spark: SparkSession, options: Options) -> int:
    """Return how many tasks read the partitions of a batch; of a cluster, a task for each.

    A task costs more than the few rows that it mostly reads: a batch of ticks, eight partitions on
    two cores, took 0.25 s with eight of them and takes 0.20 with two.
    """
    return spark.sparkContext.defaultParallelism if options.spark.is_here else _inputs(options)


def _inputs(options: Options) -> int:
    return len(URGENT + ROUTINE) * options.topics.partitions


def logs(options: Options) -> Path:
    """Return where Spark's logs are."""
    return options.home / "logs"


def scratch(options: Options) -> Path:
    """Return where files are that nobody needs after this process."""
    return options.home / ".spark-scratch"


def _runtime(options: Options) -> dict[str, str]:
    """Where and with what the JVM runs."""
    host = options.spark.driver_host or _LOOPBACK
    java = (
        f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}",
        f'"-Dtrimtab.logs={logs(options).absolute()}"',
        f'"-Djava.io.tmpdir={scratch(options).absolute()}"',  # nothing of ours in /tmp
        "-XX:-UsePerfData",  # would write to /tmp all the same
        "-XX:+ExitOnOutOfMemoryError",  # a driver that lives on after that only looks alive
        *_SECOND_COMPILER_LATER,
        *class_archive.flags(options.spark.jars),
    )
    return {
        "spark.master": options.spark.master,
        "spark.driver.memory": f"{options.spark.driver_memory_bytes // 1024**2}m",
        "spark.driver.extraJavaOptions": " ".join(java),
        # Not spark.jars alone: those are copied at every start and loaded by a second class loader,
        # in which the file system below would not be found.
        "spark.driver.extraClassPath": str(options.spark.jars / "*"),
        "spark.driver.bindAddress": host,
        "spark.driver.host": host,
        "spark.local.dir": str(scratch(options).absolute()),
        "spark.sql.warehouse.dir": (scratch(options) / "warehouse").absolute().as_uri(),
        # Bars drawn over the terminal at every batch.
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        # Spark's own pattern, where Kafka's Java client keeps credentials, and any other key: the
        # whole of a name, or what is set within a value. Names and values are both looked at.
        "spark.redaction.regex": (
            r"(?i)secret|password|token|access[.]?key|\bkey\b|credential|jaas"
            r"|^[\w.-]*key|key[\w.-]*\s*="
        ),
    }


def _cluster(options: Options) -> dict[str, str]:
    """What workers on other machines are sent; one that is lost is replaced.

    The only one here cannot be lost. But after a machine has slept for two minutes Spark would
    think so, and end.
    """
    if options.spark.is_here:
        return {"spark.storage.blockManagerHeartbeatTimeoutMs": "7d"}
    return {"spark.jars": ",".join(sorted(map(str, options.spark.jars.absolute().glob("*.jar"))))}


def _sockets(options: Options) -> dict[str, str]:
    """How the JVM speaks with Python here: 70 ms of 200 of an idle controller's answer."""
    place = meeting_place(scratch(options) / "sockets") if options.spark.is_here else None
    if place is None:
        return {}
    return {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": place,
    }


def _streaming(options: Options) -> dict[str, str]:
    """How micro-batches run."""
    return {
        # Each partition is a task and a state store a batch, whether it has rows or not, and on an
        # idle controller that is what an answer waits for: 27 ms of a batch of ticks for the second
        # one. So on one machine one core folds all cells; known beats take so little of it
        # (``cell.counting``) that only very many joins at once want more. The checkpoint freezes
        # the number: set it in spark.options, with a new checkpoint.
        TASKS: "1" if options.spark.is_here else "2",
        # Not available for streams; Spark warns unless it is off.
        "spark.sql.adaptive.enabled": "false",
        # How long a query that found nothing waits before it asks Kafka again (10 ms). What an idle
        # one takes, 0.54 of a core, is 0.45 with this, for 5 ms of an answer's 200.
        "spark.sql.streaming.pollingDelay": "20ms",
        # Nothing is decided without data: ticks are data, and they drive expiry.
        "spark.sql.streaming.noDataMicroBatches.enabled": "false",
        # A consumer for each partition that is read, or they are opened anew at every batch (64).
        "spark.kafka.consumer.cache.capacity": str(max(64, _inputs(options))),
        # A frame for all rows of a cell: each further one repeats what the cell remembers (10,000).
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
        # Without it `stop` waits for ever for a batch that hangs on Kafka.
        "spark.sql.streaming.stopTimeout": "20s",
    }


def _user_interface(options: Options) -> dict[str, str]:
    """The UI, and how much of the past it keeps: several batches a second add up."""
    port = options.spark.ui_port
    shown = _SHOWN if port else {}
    return {
        **shown,
        "spark.metrics.namespace": "trimtab",  # else an id that each start makes anew
        "spark.ui.enabled": str(port > 0).lower(),
        "spark.ui.port": str(port),
        "spark.ui.killEnabled": "false",  # it has no password, and reading is all that it is for
        "spark.ui.retainedJobs": "200",
        "spark.ui.retainedStages": "400",
        "spark.ui.retainedTasks": "2000",
        "spark.sql.ui.retainedExecutions": "50",
    }


_SHOWN = {
    # On the UI's port, under /metrics/prometheus/: Spark's figures of the driver and the query,
    # and ours (``spark_figures``).
    "spark.metrics.conf.driver.sink.prometheusServlet.class": (
        "org.apache.spark.metrics.sink.PrometheusServlet"
    ),
    "spark.metrics.conf.driver.sink.prometheusServlet.path": "/metrics/prometheus",
    "spark.sql.streaming.metricsEnabled": "true",
}

_LOCAL_CHECKPOINT = {
    # Hadoop's local file system forks a `chmod` for each file: 65 ms a batch. This one uses
    # Java's own calls: 4 ms. What it gives up: POSIX permissions other than the umask's, and,
    # with the file manager that goes with it, the atomic "create unless it exists" by which two
    # drivers on one checkpoint would notice each other; ``standard_error`` keeps them apart
    # instead. A kill -9 at any moment is as safe as before: files are written aside and
    # renamed. As before, nothing is forced to the disk, so a power cut may cost the last batches.
    "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    ),
}
