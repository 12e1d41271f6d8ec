"""When the jury is told of topics: when they change, and all of them when the query begins."""

from collections.abc import Collection
from pathlib import Path
from threading import Event

import pytest

from console.settings import load
from console.wiring import options
from streaming.feeds.hosts import HostWatcher
from streaming.feeds.metadata import Whereabouts
from streaming.process.horizon import Horizon
from trimtab.protocol import Hosts


class Hearing(HostWatcher):
    """Its Kafka has one topic that stays as it is, and takes each record."""

    def __init__(self, horizon: Horizon) -> None:
        chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=Path())
        super().__init__(chosen, horizon)
        self.told: list[str] = []

    def _producer(self) -> "Hearing":  # type: ignore[override]  # only these are used of it
        return self

    def _metadata(self) -> "Hearing":  # type: ignore[override]  # as above
        return self

    def flush(self, patience_s: float) -> int:
        """Nothing is on its way."""
        return int(0 * patience_s)

    def poll(self) -> None:
        """Nothing is on its way."""

    def whereabouts(self, expected: Collection[str] = ()) -> Whereabouts:
        """Return what is there."""
        del expected
        return Whereabouts("east", {"orders": {"1": "east-1:9092"}})

    def _tell(self, producer: object, cluster: str, hosts: Hosts) -> None:
        del producer, cluster
        self.told.append(hosts.topic)


class Begins(Event):
    """Between the looks the query begins, or does not; then it is over."""

    def __init__(self, horizon: Horizon, starts: Collection[str | None]) -> None:
        super().__init__()
        self._horizon, self._starts = horizon, list(starts)

    def wait(self, timeout: float | None = None) -> bool:
        """Go on with the next look at once."""
        del timeout
        if not self._starts:
            self.set()
        elif (start := self._starts.pop(0)) is not None:
            self._horizon.begin(start)
        return self.is_set()


@pytest.mark.parametrize(
    ("starts", "told"), [([None, None], 1), ([None, "a", None], 2), (["a", "b", None], 3)]
)
def test_all_is_said_again_when_the_query_begins(
    starts: list[str | None], told: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Perhaps with a new checkpoint, whose jury would take out the last broker of a topic."""
    monkeypatch.chdir(tmp_path)
    horizon = Horizon("t.heartbeats")
    watcher = Hearing(horizon)
    watcher.run(Begins(horizon, starts))

    assert ["orders"] * told == watcher.told
