"""Rows put through a part of the pipeline, by a Spark that runs in a process of its own.

rows_found(ROWS, 'fingerprinted(frame, options).select("offset", "number")', partitions=4)
"""

import ast
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, Final

from streaming.wire.rows import Row

_PROGRAM: Final = """
import sys, json, types
from pyspark.sql import SparkSession
from streaming.fingerprints import fingerprinted
from streaming.pipeline import dealt
from streaming.wire.rows import Row
_, told, partitions, wanted = sys.argv
rows = [Row(*it[:4], *(bytes.fromhex(x) for x in it[4:6]), it[6]) for it in json.loads(told)]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = spark.config("spark.driver.bindAddress", "127.0.0.1")
spark = spark.config("spark.sql.codegen.wholeStage", "false")  # longer made than run
spark = spark.config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
spark = spark.config("spark.sql.shuffle.partitions", "1")
spark = spark.config("spark.driver.host", "127.0.0.1").getOrCreate()
kinds = "topic string, partition int, offset bigint, appended_ms bigint, key binary, value binary,"
frame = spark.createDataFrame(rows, kinds + " size int")
topics = types.SimpleNamespace(prefix="t.", partitions=int(partitions))
options = types.SimpleNamespace(topics=topics, query=types.SimpleNamespace(cells_per_partition=1))
print("FOUND", [tuple(it) for it in eval(wanted).collect()])
spark.stop()
"""


def rows_found(rows: Sequence[Row], wanted: str, partitions: int) -> list[tuple[Any, ...]]:
    """Return what becomes of these; ``wanted`` says so of ``frame``, with ``options``."""
    told = json.dumps(
        [(*it[:4], (it.key or b"").hex(), (it.value or b"").hex(), it.size) for it in rows]
    )
    command = [sys.executable, "-c", _PROGRAM, told, str(partitions), wanted]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    line = next(it for it in done.stdout.splitlines() if it.startswith("FOUND "))
    found: list[tuple[Any, ...]] = ast.literal_eval(line.removeprefix("FOUND "))
    return found
