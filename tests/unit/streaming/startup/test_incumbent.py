"""A controller that is at work is replaced on purpose only; one that is gone holds nobody up."""

import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event

import pytest

from console.settings import load
from console.wiring import options
from streaming.startup import incumbent
from streaming.startup.activity import NotTold
from streaming.startup.incumbent import Incumbent
from trimtab.protocol import Tick

TICK = Tick(controller="a", number=7)


class Heard:
    """What another controller says, one look after another; then nothing more."""

    def __init__(self, *looks: Sequence[Tick], is_read: bool = True, proves: bool = True) -> None:
        """Say this, and that it is over when all was said, if that can be proven."""
        self.looks, self.is_read, self.proves = list(looks), is_read, is_read and proves
        self.last: str | None = None

    @property
    def is_seen(self) -> bool:
        """Whether anybody has ticked."""
        return self.last is not None

    def listen(self) -> Sequence[Tick]:
        """Say the next."""
        heard = self.looks.pop(0) if self.looks else ()
        self.last = heard[0].controller if heard else self.last
        return heard

    def over(self) -> str | None:
        """Be silent when all was said."""
        return None if self.looks or not self.proves else "no controller has ticked for 2.1 s"


def listening(monkeypatch: pytest.MonkeyPatch, place: Path, heard: Heard) -> Incumbent:
    """One that has listened for as long as Spark takes to start."""
    monkeypatch.chdir(place)
    monkeypatch.setattr(incumbent, "Activity", lambda *_: heard)
    monkeypatch.setattr(incumbent, "grace_of", lambda _: 0)
    chosen = options(load().settings, bootstrap_servers="127.0.0.1:1", jars=place)
    one = Incumbent(chosen, Event())
    time.sleep(0.001)  # the clock has gone on
    return one


@pytest.mark.parametrize(
    ("heard", "name"),
    [
        pytest.param(Heard((TICK,), (), (TICK,), ()), "a", id="it ticks on"),
        pytest.param(Heard((TICK,), (), ()), None, id="it was killed meanwhile"),
        pytest.param(Heard(), None, id="nobody was there"),
        pytest.param(Heard(proves=False), None, id="nobody was there, and ticks are rare"),
    ],
)
def test_a_controller_that_ticks_on_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, heard: Heard, name: str | None
) -> None:
    """Who only ticked while Spark started may be gone: it is waited for, and not believed."""
    assert name == listening(monkeypatch, tmp_path, heard).name(Event())


def test_while_kafka_does_not_answer_nobody_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The start ends then, and does not take over from somebody whom it cannot hear."""
    monkeypatch.setattr(incumbent, "PATIENCE_S", 0.01)
    with pytest.raises(NotTold, match="does not answer"):
        listening(monkeypatch, tmp_path, Heard(is_read=False)).name(Event())
