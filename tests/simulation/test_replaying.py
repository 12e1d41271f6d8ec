"""Recorded lives, read again: the same bytes (I7); longer sessions evict no more members (I17)."""

from dataclasses import replace

import pytest

from console.recordings.lines import parsed
from console.recordings.replaying import Replay, batches
from rebalance.groups.model.decisions import EventRefused
from rebalance.ids import Millis
from sinks import Record, record_of
from streaming.cell.hearing import CellRules
from tests.simulation import transcript
from tests.simulation.rules import PREFIX
from tests.simulation.scenario import SESSION_MS, Kind, scenario
from tests.simulation.world import Outcome, World
from trimtab import protocol
from trimtab.protocol import DEADLETTERS, HISTORY, LifeRef, decode


def a_life(seed: int) -> Outcome:
    """Live through a seed."""
    return World(scenario(seed)).live()


def replayed(outcome: Outcome, rules: CellRules) -> list[list[Record]]:
    """Read a life's transcript again: by batch, every record but the dead letters."""
    lines = parsed((line.encode() for line in transcript.lines(outcome)), PREFIX, "a life")
    again, letters = Replay(rules, slots=1), f"{PREFIX}{DEADLETTERS.name}"
    decided = [again.decide(rows) for _, rows in batches(lines, None, None)]
    return [[record for record in records if record.topic != letters] for records in decided]


def _is_recordable(seed: int) -> bool:
    """Tell whether all of a life is in its transcript, which does not hold a record of 5 MB."""
    return all(incident.kind is not Kind.GLUT for incident in scenario(seed).incidents)


@pytest.mark.parametrize("seed", [seed for seed in range(40, 65) if _is_recordable(seed)])
def test_a_recording_makes_the_bytes_that_were_made(seed: int) -> None:
    """Through the decoder, the cell, the codec and the sinks, batch by batch (I7)."""
    outcome = a_life(seed)
    rules = outcome.brain.rules
    published = [
        [record_of(each, rules.outlet) for each in made if not isinstance(each, EventRefused)]
        for made in outcome.brain.decided
    ]

    assert published == replayed(outcome, rules)[: len(published)]


def expired(outcome: Outcome, session_ms: int) -> set[LifeRef]:
    """Which lives are removed for silence when every session is at least so long."""
    rules = outcome.brain.rules
    patient = replace(
        rules.policy,
        session_timeout_ms=Millis(session_ms),
        session_timeout_ms_min=Millis(session_ms),
    )
    records = [
        decode(HISTORY, record.value)
        for batch in replayed(outcome, replace(rules, policy=patient))
        for record in batch
        if record.topic == f"{PREFIX}{HISTORY.name}"
    ]
    return {
        LifeRef(each.member, each.incarnation)
        for each in records
        if isinstance(each, protocol.MemberChanged) and each.event == "expired"
    }


@pytest.mark.parametrize("seed", range(60, 80))
def test_a_longer_session_never_removes_more(seed: int) -> None:
    """On the same records, whoever survives a short session survives a longer one (I17)."""
    outcome = a_life(seed)

    assert expired(outcome, 2 * SESSION_MS) <= expired(outcome, SESSION_MS)
