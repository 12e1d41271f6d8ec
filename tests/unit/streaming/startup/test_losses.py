"""What is gone before it was read is counted and named."""

import time
from pathlib import Path
from threading import Event, Timer

import pytest

from console.settings import load
from console.wiring import options
from rebalance.groups.model.route import NO_ID
from streaming.startup.losses import (
    MADE_ANEW,
    Contents,
    Ends,
    NotSurveyed,
    looking_trouble,
    losses,
    survey,
    unread,
)

SOON_S = 10.0
"""Kafka has 30 s for its answer; busy cores have time, too."""
BEATS, JOINS, RELEASES = "t.heartbeats", "t.members", "t.releases"
IDS = {BEATS: "id-1", JOINS: "id-2"}
POSITIONS = {(BEATS, 0): 100, (BEATS, 1): 100, (JOINS, 0): 5}


WHOLE = Ends(0, 100)


def shelf(beats: Ends, others: Ends = WHOLE, topics: dict[str, str] | None = None) -> Contents:
    """What Kafka holds: so much of one partition, and so much of the next."""
    held = {(BEATS, 0): beats, (BEATS, 1): others, (JOINS, 0): Ends(5, 5)}
    return Contents("kafka", IDS if topics is None else topics, held)


def test_whoever_finds_its_place_has_lost_nothing() -> None:
    """The first record there is may be the very next one to read, and the end may be there, too."""
    assert {} == losses(POSITIONS, IDS, shelf(Ends(100, 100)))
    assert {} == losses(POSITIONS, IDS, shelf(Ends(0, 900)))


def test_what_retention_took_is_counted_by_topic() -> None:
    """Of all partitions together."""
    assert {BEATS: 37} == losses(POSITIONS, IDS, shelf(Ends(130, 140), Ends(107, 200)))


def test_an_end_that_is_gone_counts_as_well() -> None:
    """A log that ends before our place is not the log that was read."""
    assert {BEATS: 40} == losses(POSITIONS, IDS, shelf(Ends(0, 60)))


def test_a_topic_that_was_made_anew_is_lost_however_long_it_is() -> None:
    """Its offsets look like those of before."""
    assert {JOINS: MADE_ANEW} == losses(
        POSITIONS, IDS, shelf(Ends(0, 500), topics={**IDS, JOINS: "id-3"})
    )


def test_where_kafka_has_no_ids_nothing_is_said_to_be_made_anew() -> None:
    """Before 2.8 it has none, and gives them to all topics when it is upgraded."""
    whole = Ends(0, 500)
    none = dict.fromkeys(IDS, NO_ID)
    assert {} == losses(POSITIONS, none, shelf(whole, topics=IDS))
    assert {} == losses(POSITIONS, IDS, shelf(whole, topics=none))


def test_what_waits_is_counted_if_a_batch_takes_it_all() -> None:
    """From where it is to be read on, or from the beginning of what is new.

    Not beats, which are read in pieces, nor what earlier starts were told.
    """
    ends = {(BEATS, 0): Ends(0, 900), (JOINS, 0): Ends(0, 45), ("t.routes", 0): Ends(0, 150_000)}
    held = Contents("kafka", IDS, {**ends, (RELEASES, 0): Ends(0, 7)})
    assert 40 + 7 == unread(POSITIONS, held, "t.")
    assert 45 + 7 == unread({}, held, "t.")
    assert 0 == unread({**POSITIONS, (RELEASES, 0): 9}, shelf(Ends(0, 140)), "t.")


def test_who_is_told_to_stop_waits_for_no_answer(tmp_path: Path) -> None:
    """While Kafka is away nearly all of the time is spent with this question."""
    chosen = options(load(environment={}).settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    stop = Event()
    timer = Timer(0.1, stop.set)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(NotSurveyed, match="told to stop"):
        survey(chosen, looking_trouble(), stop)

    assert SOON_S > time.monotonic() - begun
