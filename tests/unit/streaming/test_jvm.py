"""The JVM of a controller that hangs ends with it."""

import signal
import subprocess
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark import SparkContext

from streaming import jvm
from streaming.jvm import kill_jvm, note_jvm


def test_a_jvm_that_was_there_before_ends_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """By `spark-submit` PySpark knows no process: one that hangs would hold up who supervises."""
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=None))
    with subprocess.Popen(["sleep", "60"]) as outer:
        monkeypatch.setattr(jvm, "_OUTER", [])
        handle = SimpleNamespace(current=lambda: SimpleNamespace(pid=lambda: outer.pid))
        java = SimpleNamespace(lang=SimpleNamespace(ProcessHandle=handle))
        note_jvm(cast("Any", SimpleNamespace(_jvm=SimpleNamespace(java=java))))
        kill_jvm()

        assert -signal.SIGKILL == outer.wait(10)
    kill_jvm()  # it is gone
