"""A controller that starts waits for another one, as long as that may decide; on a real Kafka."""

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event, Thread, Timer

import pytest
from confluent_kafka import Producer
from structlog.testing import capture_logs

from console.embedded.broker import EmbeddedKafka
from console.settings import load
from console.wiring import options
from streaming.options import Options
from streaming.startup import takeover
from streaming.startup.delivery import StartWriter
from streaming.startup.incumbent import Incumbent
from streaming.startup.takeover import announce, new_start
from tests.builders.command_line import Run
from tests.integration.topics import PARTITIONS
from trimtab.protocol import (
    CONTROLLERS,
    HEARTBEATS,
    TICK_KEY,
    Controller,
    Tick,
    encode,
    partition_of,
)

pytestmark = pytest.mark.kafka

OTHER = "other"
WAITS = "another controller was active a moment ago; waiting for it to end"
OFTEN_S = 0.2
BUSY_S = 4.0
"""Longer than two ticks of a controller: it is slow, not gone."""


@pytest.fixture
def chosen(kafka: EmbeddedKafka, run: Run, tmp_path: Path) -> Options:
    """The options of a controller on topics of its own."""
    del run  # has made them
    return options(load().settings, bootstrap_servers=kafka.bootstrap_servers, jars=tmp_path)


@contextmanager
def ticking(chosen: Options, *, says_so: bool) -> Iterator[Event]:
    """Another controller, until the event is set or at the end; it may say that it has ended."""
    over, has_begun = Event(), Event()
    producer = Producer({"bootstrap.servers": chosen.kafka.bootstrap_servers})
    prefix = chosen.topics.prefix
    (example,) = Controller.model_json_schema()["examples"]
    ended = json.dumps({**example, "controller": OTHER, "role": "ended"}).encode()

    def tick() -> None:
        number = 0
        while not over.wait(OFTEN_S):
            number += 1
            value = encode(Tick(controller=OTHER, number=number))
            producer.produce(f"{prefix}{HEARTBEATS.name}", value, TICK_KEY, 0)
            assert 0 == producer.flush(10)
            has_begun.set()
        if says_so:
            place = partition_of(OTHER, PARTITIONS)
            producer.produce(f"{prefix}{CONTROLLERS.name}", ended, OTHER.encode(), place)
            assert 0 == producer.flush(10)

    thread = Thread(target=tick)
    thread.start()
    try:
        assert has_begun.wait(10)
        yield over
    finally:
        over.set()
        thread.join()


def said(chosen: Options, other: Incumbent) -> set[str]:
    """Take over; return what it says meanwhile, and why it goes on."""
    with capture_logs() as lines:
        starts = announce(chosen, new_start(), StartWriter(chosen, Event()))
        other.let_end(Event())
    assert PARTITIONS == len(starts)
    return {str(it.get("cause", it["event"])) for it in lines}


def test_where_nobody_ticked_it_begins(chosen: Options) -> None:
    """The topics are new."""
    with closing(Incumbent(chosen, Event())) as nobody:
        assert nobody.name(Event()) is None
        assert set() == said(chosen, nobody)


def test_one_that_is_at_work_is_named(chosen: Options) -> None:
    """And one that has said that it ended is not."""
    with ticking(chosen, says_so=True), closing(Incumbent(chosen, Event())) as other:
        assert OTHER == other.name(Event())
    with closing(Incumbent(chosen, Event())) as nobody:
        assert nobody.name(Event()) is None


def test_one_that_is_slow_is_waited_for(chosen: Options) -> None:
    """It ticks in the middle of a batch, which it will publish; then it reads the start."""
    with closing(Incumbent(chosen, Event())) as other, ticking(chosen, says_so=True) as over:
        Timer(BUSY_S, over.set).start()
        assert {WAITS, f"{OTHER} has ended"} <= said(chosen, other)
        assert over.is_set()


def test_one_that_was_killed_is_not_waited_for(chosen: Options) -> None:
    """It will never say that it has ended: it ticks no more."""
    with closing(Incumbent(chosen, Event())) as other:
        with ticking(chosen, says_so=False):
            pass
        lines = said(chosen, other)
    assert WAITS in lines
    assert any(re.fullmatch(r"no controller has ticked for \d\.\d s", it) for it in lines), lines


def test_one_that_never_ends_is_not_waited_for_for_ever(
    chosen: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs; whoever starts another one wants that one to work."""
    monkeypatch.setattr(takeover, "LONGEST_S", BUSY_S)
    with closing(Incumbent(chosen, Event())) as other, ticking(chosen, says_so=False) as over:
        lines = said(chosen, other)
        assert not over.is_set()

    assert [False, True] == sorted("still runs" in it for it in lines)
