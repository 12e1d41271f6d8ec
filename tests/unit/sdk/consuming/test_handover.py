"""When a consumer's application is told of a change."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

from tests.builders.sessions import queue
from trimtab import Grant
from trimtab.consuming.choice import Told
from trimtab.consuming.handover import Handover


def test_the_application_is_told_before_anything_is_read() -> None:
    """So it can prepare for the first message."""
    events: list[str] = []
    leaders = SimpleNamespace(find=bool)
    client = SimpleNamespace(begin=lambda _: events.append("read"), pause=bool)
    intake = SimpleNamespace(
        turn=nullcontext(),
        client=client,
        leaders=leaders,
        readings={},
        manual=False,
        sought={},
        paused=set(),
    )
    told = Told(lambda _: events.append("told"), bool, bool, bool, bool)
    handover = Handover(cast("Any", intake), cast("Any", None), None, told, 1.0)
    handover.on_assigned((Grant(queue(), 1, position=3),))

    assert ["told", "read"] == events
