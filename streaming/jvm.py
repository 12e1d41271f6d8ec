"""The JVM that Spark runs in, as a process: has it ended, and how to end it.

PySpark has started it, or by `spark-submit` it has started us. Noted by ``session``, asked by
whoever goes on only with Spark. Its one rule: one that hangs is not asked to end.
"""

import os
import signal
import time
from contextlib import suppress
from typing import Any, Final

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession

_OUTER: Final[list[int]] = []
"""The process of a JVM that was there before this one, and has started it (`spark-submit`)."""
_RELAY_S: Final = 0.2
"""It hands on what we write, our last words as well: a pipe that somebody reads takes no longer."""


class SparkEnded(Exception):  # noqa: N818 - it names what happened
    """The JVM is gone, or has stopped its context, and nobody has told it to."""


def note_jvm(spark: SparkSession) -> None:
    """Note which process the JVM is: PySpark knows only one that it has started itself."""
    if _process() is None:
        java: Any = spark._jvm  # noqa: SLF001 - there is no other door, and PySpark is pinned
        _OUTER[:] = [int(java.java.lang.ProcessHandle.current().pid())]


def kill_jvm() -> bool:
    """End the JVM at once: it hangs, and may not answer; tell whether there is one."""
    process = _process()
    if process is not None:
        process.kill()
    for outer in _OUTER:
        time.sleep(_RELAY_S)
        with suppress(OSError):  # it has ended by itself
            os.kill(outer, signal.SIGKILL)
    return process is not None or bool(_OUTER)


def has_ended(spark: SparkSession) -> bool:
    """Tell whether nothing can run here any more: the JVM is gone, or has stopped its context."""
    process = _process()
    if process is not None and process.poll() is not None:
        return True
    context: Any = spark.sparkContext._jsc  # noqa: SLF001 - PySpark's own answer knows only its stop
    try:
        return bool(context.sc().isStopped())
    except (Py4JError, ConnectionError):
        return True


def _process() -> Any:  # noqa: ANN401 - a Popen, or nothing
    """Return the one that PySpark has started."""
    return getattr(SparkContext._gateway, "proc", None)  # noqa: SLF001 - PySpark is pinned
