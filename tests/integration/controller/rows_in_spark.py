"""A Spark in a process of its own, for several tests: what parts of the pipeline make of rows.

with_spark([Asked(ROWS, 'fingerprinted(frame, options).select("offset", "number")', partitions=4)])
"""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from console.embedded.jars import JarCache
from streaming import class_archive
from streaming.wire.rows import Row

_PROGRAM: Final = """
import sys, json, types
import pandas as pd
from pyspark.sql import SparkSession
from streaming.fingerprints import fingerprinted
from streaming.first_task import run
from streaming.pipeline import dealt
from streaming.wire.rows import Row
_, jars, flags, told = sys.argv
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = spark.config("spark.driver.bindAddress", "127.0.0.1")
spark = spark.config("spark.driver.extraClassPath", jars + "/*")
spark = spark.config("spark.driver.extraJavaOptions", flags)
spark = spark.config("spark.sql.codegen.wholeStage", "false")  # longer made than run
spark = spark.config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
spark = spark.config("spark.sql.shuffle.partitions", "1")
spark = spark.config("spark.driver.host", "127.0.0.1").getOrCreate()

def known(frame):
    return pd.DataFrame({"known": ["streaming.cell_operator" in sys.modules]})

def look():
    groups = spark.range(0, 1, 1, 1).groupBy("id")
    return groups.applyInPandas(known, "known boolean").collect()[0].known

def becomes(rows, wanted, partitions):
    rows = [Row(*it[:4], *(bytes.fromhex(x) for x in it[4:6]), it[6]) for it in rows]
    kinds = "topic string, partition int, offset bigint, appended_ms bigint, key binary,"
    frame = spark.createDataFrame(rows, kinds + " value binary, size int")
    topics = types.SimpleNamespace(prefix="t.", partitions=partitions)
    query = types.SimpleNamespace(cells_per_partition=1)
    options = types.SimpleNamespace(topics=topics, query=query)
    return [tuple(it) for it in eval(wanted).collect()]

before = look()
run(spark)
print("WORKERS", (before, look()))
for it in json.loads(told):
    print("ROWS", becomes(*it))
spark.stop()
run(spark)
print("ENDED")
"""


class Asked(NamedTuple):
    """What is to become of rows."""

    rows: Sequence[Row]
    wanted: str
    """Says so of ``frame``, with ``options``."""
    partitions: int


class Found(NamedTuple):
    """What Spark has found."""

    workers: tuple[bool, bool]
    """Whether one had imported the operator, before the first task and after it."""
    rows: list[list[tuple[Any, ...]]]
    has_ended: bool


def with_spark(asked: Sequence[Asked]) -> Found:
    """Return what becomes of each."""
    told = json.dumps([(*_written(it.rows), it.wanted, it.partitions) for it in asked])
    jars = JarCache.default().spark
    flags = " ".join(class_archive.flags(jars))
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(jars), flags, told],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},  # as `session` has it
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = [it.partition(" ") for it in done.stdout.splitlines()]
    (workers,) = (ast.literal_eval(rest) for kind, _, rest in lines if kind == "WORKERS")
    rows = [ast.literal_eval(rest) for kind, _, rest in lines if kind == "ROWS"]
    return Found(workers, rows, any(kind == "ENDED" for kind, *_ in lines))


def _written(rows: Sequence[Row]) -> list[list[object]]:
    return [[(*it[:4], (it.key or b"").hex(), (it.value or b"").hex(), it.size) for it in rows]]
