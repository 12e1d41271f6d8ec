"""The first task: a Python worker starts and imports all it needs, while the start goes on.

The first batch would have to wait for that; now it finds a worker that is ready. Of a cold start's
8.6 s until ready it takes 0.6 (two cores, by turns); a task with a shuffle, which would warm more
of Java, takes as much as it saves. On a cluster nothing is done: who will run the first batch is
not known.

Called by ``application``. Its one rule: nothing depends on it. What it has not done by then, the
first batch does.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Thread
from typing import Final

import pandas as pd
import structlog
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from streaming.options import Options

STAGE_NAME: Final = "start: a Python worker imports what batches need"
"""What Spark's pages show of it, as long as they remember it."""

_PATIENCE_S: Final = 20.0
"""It takes three seconds, also where nothing else goes on."""


@contextmanager
def under_way(spark: SparkSession, options: Options) -> Iterator[None]:
    """Have a worker start meanwhile; Spark must not be stopped in the middle of it."""
    if not options.spark.is_here:
        yield
        return
    thread = Thread(target=run, args=[spark], name="first-task", daemon=True)
    thread.start()
    try:
        yield
    finally:
        thread.join(_PATIENCE_S)


def run(spark: SparkSession) -> None:
    """Wait until a worker has started; or say why there is none, unless Spark has ended."""
    try:
        worker = spark.range(0, 1, 1, 1).mapInPandas(_imported, "id long")
        spark.sparkContext.setLocalProperty("callSite.short", STAGE_NAME)  # of this thread alone
        worker.write.format("noop").mode("overwrite").save()  # collect() names its stage itself
    except PySparkException as error:
        structlog.get_logger().warning("the first task failed", reason=str(error))
    except (Py4JError, ConnectionError):
        pass  # Spark itself has ended meanwhile: whoever waits for it says so


def _imported(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Run in the worker."""
    import_module("streaming.cell_operator")  # and with it all that a batch needs
    yield from frames
