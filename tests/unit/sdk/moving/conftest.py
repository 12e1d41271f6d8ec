"""Fixtures of everything that tests movers."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.unit.sdk.moving.processes import Kafka, Process
from trimtab.moving import mover as module
from trimtab.moving import wanted_side


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Process, Process]]:
    """Two processes of a group; a second is a few milliseconds."""
    for place, name, seconds in (
        (wanted_side, "READ_S", 0.005),
        (wanted_side, "_HEARD_S", 0.01),
        (module, "READ_S", 0.005),
        (module, "_SOON_S", 0.001),
    ):
        monkeypatch.setattr(place, name, seconds)
    kafka = Kafka()
    both = Process("a", kafka), Process("b", kafka)
    with ExitStack() as stack:
        for it in both:
            stack.callback(it.mover.end, 60.0)
            stack.callback(it.gone.set)
            it.mover.start()
        yield both
