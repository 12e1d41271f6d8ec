"""The rules of the brokers' hook: for how long a controller's word counts, and when it is heard."""

import pytest

from tests.integration.rocketmq.hook_rules import (
    NONE_YET,
    OWN,
    PATIENCE_S,
    begin,
    play,
    queues,
    share,
)

pytestmark = pytest.mark.slow


def test_a_broker_that_begins_contradicts_no_other_one() -> None:
    """The others may have given a controller up that is away, or may still obey its last word."""
    told = begin(
        f"post billing a 0 {share(1)}",
        "ends 7 0",
        "read",
        "ask billing a orders 1",
        "word 6",  # it was there before
        f"ask billing a orders {PATIENCE_S}",
        f"ask billing a orders {PATIENCE_S + 1}",
        "ends 7 20",
        "word 7",
        "ask billing a orders 21",
    )

    assert [NONE_YET, "of any age", NONE_YET, OWN, "asked 1", "20"] == told[3:9]
    assert [1] == queues(told[9])


def test_a_broker_that_was_cut_off_takes_no_old_word_of_a_controller_for_a_new_one() -> None:
    """It reads on where it stood; the others gave that controller up long ago."""
    told = begin(
        f"post billing a 0 {share(1)}",
        "read",
        "ends 7 0",
        "word 7",
        "ends 9 100",  # it is there again
        "word 8",
        "ask billing a orders 100",
        "ends 9 101",
        "word 9",
        "ask billing a orders 101",
    )

    assert ["0", OWN, "101"] == [told[it] for it in (5, 6, 8)]
    assert [1] == queues(told[9])


def test_a_broker_that_stood_still_is_one_that_begins() -> None:
    """It has heard nothing for long, but others may have; one that runs has nothing to wait for."""
    told = play(
        f"post billing a 0 {share(1)}",
        "read",
        "runs 9",
        "runs 100",
        "controller 9",  # what was waiting to be read
        "ask billing a orders 100",
        f"ask billing a orders {101 + PATIENCE_S}",
        "controller 120",
        *(f"runs {it}" for it in (108, 116, 124, 132)),
        "ask billing a orders 120",
        "ask billing a orders 132",
    )

    assert [NONE_YET, OWN] == told[5:7]
    assert ([1], OWN) == (queues(told[12]), told[13])


def test_a_partition_without_a_leader_does_not_hide_the_word_of_a_controller() -> None:
    """It is asked nothing once one has spoken elsewhere: each question of it costs time."""
    told = begin("ends 7 0", "word 7", "ends 8 100", "word 8")

    assert ["asked 2", "0", "asked 1", "100"] == told


def test_the_brokers_own_answers_come_back_when_no_controller_is_heard() -> None:
    """After the hook's patience, and not before; a controller that is back counts at once."""
    told = play(
        f"post billing a 0 {share(1)}",
        "read",
        f"ask billing a orders {PATIENCE_S}",
        f"ask billing a orders {PATIENCE_S + 1}",
        f"controller {PATIENCE_S + 2}",
        f"ask billing a orders {PATIENCE_S + 3}",
    )

    assert [[1], [1]] == [queues(told[2]), queues(told[5])]
    assert told[3] == OWN
