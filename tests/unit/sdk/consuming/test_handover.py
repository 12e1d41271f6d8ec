"""When a consumer's application is told of a change."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
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


def test_a_position_that_kafka_does_not_have_is_not_handed_on() -> None:
    """The topic was made anew: committed there, it would skip the new messages before it."""
    reading = InMemory()
    grant = reading.grant(1, 5_000)
    reading.kafka.astray.add(queue())
    positions = reading.handover.on_revoked((grant,))

    assert ({}, []) == (positions, reading.kafka.written)
