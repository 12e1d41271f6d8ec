"""Kafka's side: a Java process with the real assignors, asked over files.

The classes are those of the Kafka server that the embedded broker runs from (org.apache.kafka:
kafka-group-coordinator and what it needs, see deploy/jars/pom.xml), started once for a whole bench
and warmed up before each timing.
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

import numpy as np

from allocators.sticky.waterline import Ints
from bench.allocators.scenario import Scenario
from console.embedded.jars import JarCache
from console.embedded.java import find_java
from console.errors import Failure

SOURCE = Path(__file__).with_name("Assignors.java")


class Kafka:
    """The process, while the block lasts."""

    def __enter__(self) -> Self:
        """Start it."""
        jars = JarCache.default()
        jars.fetch()
        self._directory = TemporaryDirectory(dir=jars.cache)
        self._process = subprocess.Popen(
            [str(find_java()), "-Xmx4g", "-cp", f"{jars.kafka}/*", str(SOURCE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.communicate()
        self._directory.cleanup()

    def assign(
        self, name: str, group: Scenario, owners: Ints, warm_ups: int, runs: int
    ) -> tuple[Ints, list[float]]:
        """Let the assignor called ``name`` answer; return the owners, and seconds of each run.

        There are fewer runs when they take seconds.
        """
        question = Path(self._directory.name) / "question"
        answer = Path(self._directory.name) / "answer"
        group.write(question, owners)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{name} {question} {answer} {warm_ups} {runs}\n")
        self._process.stdin.flush()
        times = self._process.stdout.readline().split()
        if not times:
            raise Failure("Kafka's assignors ended before their answer (a JDK is needed)")
        found = np.array(answer.read_text("utf-8").split(), np.int64)
        return found, [int(nanoseconds) / 1e9 for nanoseconds in times]
