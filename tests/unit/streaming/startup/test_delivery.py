"""What a start is written with, while a standby waits for its turn."""

import time
from pathlib import Path
from threading import Event, Timer

import pytest
from structlog.testing import capture_logs

from console.settings import load
from console.wiring import options
from streaming.startup import delivery
from streaming.startup.delivery import StartWriter, Undelivered
from streaming.startup.takeover import new_start
from tests.builders.half_written import HalfWritten
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
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    writer = StartWriter(chosen, Event())
    writer.stay_ready()
    assert 1 == len(Writing.made)
    monkeypatch.setattr(delivery, "RENEWED_S", 0.0)

    writer.stay_ready()
    start = Start(controller="c", start=new_start())
    writer.delivery("it").send(start, b"", 0)

    old, new = Writing.made
    assert ([], [encode(start)]) == (old.written, new.written)


def test_who_waits_writes_by_the_old_client_if_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Somebody is just replacing the files of its certificate, which is no end of a standby."""
    made = HalfWritten(Writing)
    monkeypatch.setattr(Writing, "made", [], raising=False)
    monkeypatch.setattr(delivery, "Producer", made)
    for name in ("RENEWED_S", "_SOON_S"):
        monkeypatch.setattr(delivery, name, -1.0)
    chosen = options(load(environment={}).settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    writer = StartWriter(chosen, Event())
    with capture_logs() as lines:
        for could_go_on in (False, True):
            assert could_go_on == writer.stay_ready()
            writer.delivery("it").send(Start(controller="c", start=new_start()), b"", 0)

    client = "make a new client to write a start"
    assert [f"cannot {client}; retrying", f"can {client} again"] == [it["event"] for it in lines]
    assert (3, [1, 1]) == (made.asked, [len(it.written) for it in Writing.made])


@pytest.mark.slow
@pytest.mark.parametrize("stopped_after_s", [0.0, 0.2])
def test_who_is_told_to_stop_waits_for_no_kafka(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stopped_after_s: float
) -> None:
    """It would take a minute; whoever supervises it kills it sooner."""
    monkeypatch.setattr(delivery, "_LAST_S", 0.2)
    settings, stop = load(environment={}).settings, Event()
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    telling = StartWriter(chosen, stop).delivery("telling")
    telling.send(Start(controller="c", start=new_start()), b"", 0)
    Timer(stopped_after_s, stop.set).start()
    begun = time.monotonic()
    with pytest.raises(Undelivered, match="telling failed: Kafka does not answer"):
        telling.arrived()

    assert time.monotonic() - begun < 2.0
