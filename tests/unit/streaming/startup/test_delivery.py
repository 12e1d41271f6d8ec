"""What a start is written with, while a standby waits for its turn."""

from pathlib import Path

import pytest

from console.settings import load
from console.wiring import options
from streaming.startup import delivery
from streaming.startup.delivery import StartWriter
from streaming.startup.takeover import new_start
from trimtab.protocol import Start, encode


class Writing:
    """A producer that notes what it writes."""

    made: "list[Writing]"

    def __init__(self, *_: object) -> None:
        self.made.append(self)
        self.written: list[object] = []

    def poll(self, *_: object) -> None:
        """Nothing."""

    def produce(self, *given: object, **_: object) -> None:
        """Write."""
        self.written.append(given[1])


def test_who_waits_writes_by_a_new_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The old one may never find a broker again, and tells no error (H15)."""
    monkeypatch.setattr(Writing, "made", [], raising=False)
    monkeypatch.setattr(delivery, "Producer", Writing)
    settings = load(environment={}).settings
    writer = StartWriter(options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path))
    writer.stay_ready()
    assert 1 == len(Writing.made)
    monkeypatch.setattr(delivery, "RENEWED_S", 0.0)

    writer.stay_ready()
    start = Start(controller="c", start=new_start())
    writer.delivery("it").send(start, b"", 0)

    old, new = Writing.made
    assert ([], [encode(start)]) == (old.written, new.written)
