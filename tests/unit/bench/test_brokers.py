"""What the bench of a bad broker makes of its notes."""

import pytest

from bench.brokers.figures import Story, Turned, is_bad, percentile
from bench.brokers.plan import FULL, QUICK, Fault, Kind
from bench.brokers.producers import Note
from bench.brokers.report import headline, picture, table

PHASES = tuple(FULL.phases())
WARM, SLOW, WELL, HUNG, END = PHASES


def note(at_s: float, partition: int, *, took_s: float = 0.01, newcomer: int | None = None) -> Note:
    """A message of the central kind."""
    return Note(Kind.CENTRAL, newcomer, at_s, took_s, partition, failed=False)


def story(*notes: Note) -> Story:
    """A run in which the slow broker is out after 10 s, and back 5 s after its recovery."""
    others = [it._replace(kind=kind) for it in notes for kind in Kind]
    turns = [Turned(SLOW.begin + 10, available=False), Turned(WELL.begin + 5, available=True)]
    return Story(FULL, PHASES, others, turns)


def test_the_faults_follow_each_other() -> None:
    """Each is followed by a time in which the broker is well."""
    for plan in (FULL, QUICK):
        phases = list(plan.phases())

        assert ["well", "slow", "well", "hung", "well"] == [it.fault for it in phases]
        assert [0.0, *[it.end for it in phases[:-1]]] == [it.begin for it in phases]


def test_a_message_that_took_a_whole_try_has_touched_the_bad_broker() -> None:
    """Wherever it ended: nobody else keeps anybody waiting for that long."""
    told = story()

    assert [True, False, True] == [
        told.touched(it) for it in (note(0, 2), note(0, 0), note(0, 0, took_s=2.1))
    ]
    assert [2, 5, 8, 11] == [partition for partition in range(12) if is_bad(partition)]


def test_what_counts_is_what_was_sent_after_the_verdict() -> None:
    """Until the fault is over; newcomers are counted for themselves."""
    out = SLOW.begin + 10
    told = story(note(out - 1, 2), note(out + 1, 0), note(out + 2, 2), note(SLOW.end + 1, 2))
    with_newcomer = story(note(out + 3, 0, newcomer=4), note(out + 2.5, 2, newcomer=4))

    assert pytest.approx(0.5) == told.share(told.after_verdict(Kind.CENTRAL))
    assert [] == with_newcomer.after_verdict(Kind.CENTRAL)
    assert [[2, 0]] == [
        [it.partition for it in notes] for notes in with_newcomer.newcomers(Kind.CENTRAL)
    ]
    assert told.condemned_s(HUNG) is None


def test_the_figures_have_names() -> None:
    """Those that the goals are about, and what people see has a row for each kind."""
    told = story(*[note(SLOW.begin + 11 + it / 100, 0) for it in range(200)])
    figures, shown = headline(told), table(told)

    assert (0.0, 1.0, 0.5) == (
        figures["central_touched_after_verdict"],
        figures["slow_sweeps_until_out"],
        figures["slow_sweeps_until_back"],
    )
    assert all(kind in shown for kind in Kind)
    assert f"{Fault.HUNG}" in shown
    assert picture(told).count("<polyline") == len(Kind)
    assert pytest.approx(10.0) == percentile(told.of(Kind.CENTRAL), 99)
