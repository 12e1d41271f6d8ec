"""Queues that fall behind are named beside their owners; a lag by itself is no finding."""

import pytest

from console.lags import Lag
from console.views.backlogs import LOOK_S, late, orphans
from console.views.queues import rows
from tests.unit.console.views.published_records import assignment, group, hold
from trimtab.protocol import TopicSummary

TOPICS = {"orders": TopicSummary(version=1, queues=2, awaited=False)}
ROWS = rows(group("a", topics=TOPICS), [assignment("a", hold=(hold(0, 2),))])
OWNED, FREE = ("orders", 0), ("orders", 1)


def test_an_owner_that_falls_behind_is_named() -> None:
    """With the queue and what waits in it."""
    (found,) = late("billing", ROWS, {OWNED: Lag(10, 200)}, {OWNED: Lag(10, 210)}, LOOK_S)

    assert ("billing", "a is there and falls behind on orders-0 (200)") == found[1:3]
    assert "queues list billing --owner a --lag" in found.remedy


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (Lag(10, 200), Lag(30, 210)),
        (Lag(10, 200), Lag(10, 200)),
        (Lag(10, 20), Lag(15, 30)),
    ],
    ids=["it catches up", "nothing comes", "seconds of work"],
)
def test_what_is_in_hand_is_no_backlog(before: Lag, now: Lag) -> None:
    """It shrinks, or stays, or is less than a minute of what arrives."""
    assert [] == list(late("billing", ROWS, {OWNED: before}, {OWNED: now}, LOOK_S))


def test_what_arrives_is_counted_by_the_time_that_has_passed() -> None:
    """Kafka may take long to answer: what came meanwhile did not come in six seconds."""
    looks = {OWNED: Lag(10, 200)}, {OWNED: Lag(10, 300)}

    assert [] == list(late("billing", ROWS, *looks, seconds=6.0))
    assert 1 == len(list(late("billing", ROWS, *looks, seconds=30.0)))


def test_messages_that_nobody_is_to_take_are_found_at_once() -> None:
    """Of a queue that nobody has; without a commit nothing is known."""
    (found,) = orphans("billing", ROWS, {OWNED: Lag(1, 9), FREE: Lag(1, 9)})

    assert "messages wait in queues that nobody has: orders-1 (8)" == found.finding
    assert [] == list(orphans("billing", ROWS, {FREE: Lag(9, 9)}))
    assert [] == list(orphans("billing", ROWS, {}))
