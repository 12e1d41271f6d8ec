"""Our figures in Spark's own metrics, for those who watch Spark already.

Spark's sinks (Prometheus, JMX, StatsD) show gauges that are registered in its JVM. A Python driver
can register accumulators there, and nothing else. So the figures of the status are kept in some,
as often as it is written. They count in no job, and no worker knows of them.

Used by ``start``. Its one rule: it shows what the status says, and nothing of its own.
"""

from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from streaming.feeds.feed import logger
from streaming.process.trouble import Trouble
from trimtab.protocol import Controller


class SparkFigures:
    """The gauges of one session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark: Any = spark
        self._trouble = Trouble(logger("status"), "show figures in Spark")
        self._gauges: dict[str, Any] = {}

    def show(self, status: Controller) -> None:
        """Set each gauge; they are registered with the first status."""
        try:
            figures = figures_of(status)
            if not self._gauges:
                self._register(figures)
            for name, value in figures.items():
                self._gauges[name].setValue(value)
        except (Py4JError, ConnectionError) as error:  # whoever waits for Spark says why it ended
            self._trouble.met(error)

    def _register(self, names: Mapping[str, int]) -> None:
        java, context = self._spark._jvm, self._spark.sparkContext._jsc.sc()  # noqa: SLF001 - PySpark has no metrics
        gauges = java.java.util.HashMap()
        for name in names:
            gauges[name] = context.longAccumulator(f"trimtab {name}")
        source = getattr(java.org.apache.spark.metrics.source, "LongAccumulatorSource$")
        getattr(source, "MODULE$").register(context, java.PythonUtils.toScalaMap(gauges))
        self._gauges = dict(gauges)


def figures_of(status: Controller) -> dict[str, int]:
    """Return what is shown, by name."""
    return {
        **status.totals.model_dump(),
        "rebalances": status.rebalances,
        "moves": status.moves,
        "dead_letters": status.dead_letters,
        "lag_records": sum(status.lag.values()),
        "lag_ms": status.lag_ms or 0,
    }
