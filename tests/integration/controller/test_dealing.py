"""Spark deals each record to a cell, also one in a partition that its topic was given later."""

import ast
import subprocess
import sys

import pytest

from streaming.wire.rows import Row
from tests.integration.controller.test_fingerprints import json_of

pytestmark = [pytest.mark.spark]

BEAT = b'{"v":1,"kind":"beat","sequence":7,"epoch":1}'
ROWS = [
    Row("t.heartbeats", 3, 0, 9, b"g", BEAT, len(BEAT)),
    Row("t.heartbeats", 9, 1, 9, b"g", BEAT, len(BEAT)),
    Row("t.heartbeats", 9, 2, 9, b"\0", b"", 0),
    Row("t.members", 9, 3, 9, b"g", b"{}", 2),
    Row("t.rocketmq", 9, 4, 9, b"c", b"{}", 2),
]
PROGRAM = """
import sys, json, types
from pyspark.sql import SparkSession
from streaming.fingerprints import fingerprinted
from streaming.pipeline import dealt
from streaming.wire.rows import Row
rows = [Row(*it[:4], *(bytes.fromhex(x) for x in it[4:6]), it[6]) for it in json.loads(sys.argv[1])]
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = spark.config("spark.driver.bindAddress", "127.0.0.1")
spark = spark.config("spark.sql.shuffle.partitions", "1")
spark = spark.config("spark.driver.host", "127.0.0.1").getOrCreate()
kinds = "topic string, partition int, offset bigint, appended_ms bigint, key binary, value binary,"
frame = spark.createDataFrame(rows, kinds + " size int")
topics = types.SimpleNamespace(prefix="t.", partitions=4)
options = types.SimpleNamespace(topics=topics, query=types.SimpleNamespace(cells_per_partition=1))
found = dealt(fingerprinted(frame, options), options).select("offset", "cell", "number")
print("FOUND", [tuple(it) for it in found.collect()])
spark.stop()
"""


def test_what_stands_in_a_later_partition_is_dealt_once() -> None:
    """To the first cell, and to no other; nor is it counted as a beat, which is never decoded."""
    told = json_of(ROWS)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, told], capture_output=True, text=True, check=True
    )
    line = next(it for it in done.stdout.splitlines() if it.startswith("FOUND "))
    found: list[tuple[int, int, int]] = ast.literal_eval(line.removeprefix("FOUND "))

    assert [(0, 3, 7), *((it, 0, -1) for it in (1, 2, 3, 4))] == sorted(found)
