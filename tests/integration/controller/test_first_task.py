"""The first task leaves a Python worker that has imported what the first batch needs."""

import os
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.spark]

PROGRAM = """
import sys
import pandas as pd
from pyspark.sql import SparkSession
from streaming.first_task import run
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = spark.config("spark.driver.bindAddress", "127.0.0.1")
spark = spark.config("spark.sql.codegen.wholeStage", "false")  # longer made than run
spark = spark.config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
spark = spark.config("spark.driver.host", "127.0.0.1").getOrCreate()

def found(frame):
    return pd.DataFrame({"known": ["streaming.cell_operator" in sys.modules]})

def look():
    groups = spark.range(0, 1, 1, 1).groupBy("id")
    return groups.applyInPandas(found, "known boolean").collect()[0].known

before = look()
run(spark)
print("FOUND", before, look())
spark.stop()
run(spark)
print("AND ENDED")
"""


def test_the_first_batch_finds_a_worker_that_has_imported_the_operator() -> None:
    """It takes whatever kind of task; and a Spark that has ended is no failure of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},  # as `session` has it
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "FOUND False True" in done.stdout
    assert "AND ENDED" in done.stdout
