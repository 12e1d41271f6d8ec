"""`trimtab check` accuses nobody because brokers' clocks differ, or step back."""

from random import Random

import pytest

from tests.builders.command_line import Run
from tests.builders.log import join
from tests.builders.recording import Recording
from tests.unit.console.a_controller import PREFIX, Cluster, a_cluster


def test_in_a_partition_the_order_is_that_of_the_offsets(run: Run) -> None:
    """However far its broker's clock is set back, or that of its next leader behind."""
    recording = Recording()
    recording.assignment("a", 1, 10_000, hold=[(0, 1)])
    recording.assignment("a", 2, 15_000, hold=[(0, 1), (1, 2)])
    recording.assignment("a", 3, 10_500, hold=[(0, 1)], give=[(1, 2)])

    assert 0 == run("check", recording.write())[0]


TOPICS = ["releases", "members", "heartbeats", "assignments", "groups", "history"]


@pytest.mark.parametrize("ahead_ms", [-15_000, -5_000, -600, 600, 5_000, 15_000])
@pytest.mark.parametrize("topic", TOPICS)
def test_a_clock_that_differs_accuses_nobody(run: Run, topic: str, ahead_ms: int) -> None:
    """A release may look later than what was decided by it, and what was told older than that."""
    cluster = a_cluster(1, ahead={f"{PREFIX}{topic}": ahead_ms})
    code, told, _ = run("check", cluster.write())

    assert 0 == code, told


@pytest.mark.parametrize("seed", range(4))
def test_the_history_tells_when_a_release_had_been_read(run: Run, seed: int) -> None:
    """Where no summary does: Kafka keeps the latest one."""
    cluster = a_cluster(seed, ahead={f"{PREFIX}releases": 600})
    cluster.compact()
    for left_out in ([], ["groups"]):
        code, told, _ = run("check", cluster.write(*left_out))

        assert 0 == code, told


def test_an_order_that_clocks_alone_tell_is_said(run: Run) -> None:
    """So that an operator knows what a release that looks too late is worth."""
    cluster = a_cluster(1, ahead={f"{PREFIX}releases": 600})
    said = "I1: clocks of brokers alone tell when releases were read"

    assert said in run("check", cluster.write("groups", "history"))[2]
    assert said not in run("check", cluster.write("groups"))[2]


@pytest.mark.parametrize("ahead_ms", [-15_000, -6_000, 6_000, 15_000])
@pytest.mark.parametrize("topic", TOPICS)
def test_who_was_never_heard_again_is_judged_by_one_clock(
    run: Run, topic: str, ahead_ms: int
) -> None:
    """Joins and beats have clocks of their own."""
    code, told, _ = run("check", _dies_at_once({f"{PREFIX}{topic}": ahead_ms}).write())

    assert 0 == code, told


def test_who_was_never_heard_again_and_evicted_too_early_is_found(run: Run) -> None:
    """By one clock as well."""
    cluster = _dies_at_once({})
    granted, published = b'"session_timeout_ms":10000', b'"session_timeout_ms":20000'
    cluster.rows = [
        row._replace(value=row.value and row.value.replace(granted, published))
        for row in cluster.rows
    ]
    code, told, _ = run("check", cluster.write())

    assert 3 == code
    assert "I6 billing: d: expired after 10" in told


def _dies_at_once(ahead: dict[str, int]) -> Cluster:
    """One that joins, and says nothing more."""
    cluster = Cluster(Random(1), ahead=ahead)
    cluster.lives(2)
    cluster.says("members", join("a"))
    cluster.lives(2)
    cluster.says("members", join("d"))
    cluster.lives(1)
    del cluster.members["d"]
    cluster.lives(20)
    return cluster


def test_what_was_decided_before_a_release_was_read_is_found(run: Run) -> None:
    """The group's summary says what had been read by then."""
    cluster = a_cluster(1)
    late = 600
    cluster.rows = [
        row._replace(appended_ms=row.appended_ms + late * row.topic.endswith("releases"))
        for row in cluster.rows
    ]
    code, told, _ = run("check", cluster.write())

    assert 3 == code
    assert "I1 billing: orders-4: a@2 and c@3 may both work on it" in told
