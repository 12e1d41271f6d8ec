"""What is watched in the terminal while Kafka is restarted."""

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.broken_kafka import restarted
from tests.integration.topics import PARTITIONS, create_control_topics

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

PATIENCE_S = 120.0
"""A reader waits 15 s for a Kafka that does not answer, on an idle machine."""
CLEAR = "\x1b[H\x1b[2J"
AWAY = "it is asked again until it answers"


class Watched:
    """A command that goes on, and what it has written."""

    def __init__(self, home: Path, servers: str, *arguments: str) -> None:
        self._ours, theirs = pty.openpty()
        self.errors = home / f"{arguments[0]}.err"
        self._said = b""
        settings = {
            "TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": servers,
            "TRIMTAB_TOPICS__PREFIX": "t.",
            "TRIMTAB_TOPICS__PARTITIONS": str(PARTITIONS),
            "TERM": "xterm",
        }
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "console.main", *arguments],
                env={**os.environ, **settings},
                stdout=theirs,
                stderr=errors,
            )
        os.close(theirs)
        Thread(target=self._read, daemon=True).start()

    @property
    def said(self) -> str:
        """All of it."""
        return self._said.decode(errors="replace").replace("\r\n", "\n")

    def until(self, text: str, after: int = 0) -> int:
        """Wait until it has written something; return how much it has written by then."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.said[after:]:
            assert self.process.poll() is None, self.said + self.errors.read_text()
            assert time.monotonic() < deadline, self.said
            time.sleep(0.1)
        return len(self.said)

    def _read(self) -> None:
        with suppress(OSError):  # it has ended
            while chunk := os.read(self._ours, 65536):
                self._said += chunk


@contextmanager
def watched(home: Path, servers: str, *arguments: str) -> Iterator[Watched]:
    """A command on a terminal of its own, until the end of the block."""
    it = Watched(home, servers, *arguments)
    try:
        yield it
    finally:
        it.process.kill()
        it.process.wait()


@pytest.mark.timeout(400)
def test_who_watches_is_told_that_kafka_restarts(tmp_path: Path) -> None:
    """`top` says so above what it has shown, and goes on; programs get lines before and after."""
    kafka = EmbeddedKafka(tmp_path, port=0).start()
    try:
        servers = kafka.bootstrap_servers
        create_control_topics(servers, "t.", PARTITIONS)
        with (
            watched(tmp_path, servers, "top") as top,
            watched(tmp_path, servers, "groups", "list", "--watch", "-o", "json") as lines,
        ):
            top.until("controller: no tick in the last minute")
            lines.until('{"groups": []}\n')

            def noticed() -> None:
                top.until(AWAY)
                while AWAY not in lines.errors.read_text():
                    assert lines.process.poll() is None
                    time.sleep(0.1)

            kafka = restarted(kafka, noticed)
            top.until(f"{CLEAR}no controller is at work here", after=len(top.said))
            lines.until('{"groups": []}\n', after=len(lines.said))

        away = next(screen for screen in top.said.split(CLEAR) if AWAY in screen)
        idle, pulse = away.splitlines()[1:3]
        assert idle.startswith("no controller is at work here (none ever was)")
        assert pulse.startswith("controller: no tick in the last minute")
        assert [{"groups": []}] * lines.said.count("\n") == [
            json.loads(line) for line in lines.said.splitlines()
        ]
        assert "" == top.errors.read_text()
    finally:
        kafka.stop()
