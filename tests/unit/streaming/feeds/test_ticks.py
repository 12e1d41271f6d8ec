"""When ticks are written: at the interval, and at once when gates wait for them."""

import json
import time
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest

from console.settings import load
from console.wiring import options
from streaming.feeds.ticks import TickProducer
from streaming.process.horizon import Horizon

LONG_MS = 60_000
SOON_S = 5.0


class Ticks(TickProducer):
    """Its ticks go nowhere but into the horizon, each at the next offset."""

    written = 0

    def _producer(self) -> "Ticks":  # type: ignore[override]  # only its end is used
        return self

    def flush(self, patience_s: float) -> int:
        """Nothing is on its way."""
        return int(0 * patience_s)

    def _tick(self, producer: object, number: int) -> None:
        del producer
        horizon = self._horizon
        for partition in range(self._options.topics.partitions):
            horizon.ticked(horizon.start, partition, self.written, number)
        self.written += 1

    def has_written(self, ticks: int) -> bool:
        """Wait for so many."""
        deadline = time.monotonic() + SOON_S
        while self.written < ticks and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.2)  # one more would come by now
        return self.written == ticks


@pytest.mark.slow
def test_a_start_waits_for_no_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One tick when it begins, one when it has been read, and no more before their time."""
    monkeypatch.chdir(tmp_path)
    usual = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    chosen = replace(usual, feeds=replace(usual.feeds, tick_interval_ms=LONG_MS))
    horizon, stop = Horizon("t.heartbeats"), Event()
    ticks = Ticks(chosen, horizon)
    thread = Thread(target=ticks.run, args=(stop,))
    thread.start()
    try:
        assert ticks.has_written(1)
        horizon.begin("1767312000000-0b5e55ed")
        assert ticks.has_written(2)
        ends = json.dumps({"t.heartbeats": dict.fromkeys(map(str, range(8)), 2)})
        horizon.committed([(ends, ends)])
        assert ticks.has_written(3)
    finally:
        stop.set()
        thread.join()
