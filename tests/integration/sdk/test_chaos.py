"""Chaos, shortly: members with real messages, faults by a seed, and all checks (`make chaos`)."""

from shutil import rmtree

import pytest

from chaos.checks import violations
from chaos.drawing import drawing
from chaos.faults import KAFKA, Kind
from chaos.installation import Broker
from chaos.lines import Lines
from chaos.on_kafka import on_kafka
from chaos.report import figures
from chaos.round import Round, play
from console.embedded.broker import EmbeddedKafka
from tests.builders.checkout import ROOT
from tests.integration.controller_process import ControllerProcess

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, pytest.mark.alone]

SEED = 5439
SECONDS = 21.0
KINDS = KAFKA - {
    Kind.BROKER_RESTARTED,
    Kind.CONTROLLER_KILLED,
    Kind.ROLLING,
    Kind.CONTROLLER_CUT,
    Kind.CONTROLLER_HELD_UP,
    Kind.CONTROLLER_LATE,
}
"""Other tests use this broker as well: it may not move, and their controller has no line of its
own. A controller's start has its own tests. The seed draws all others."""


KEPT = ROOT / ".cache" / "chaos" / f"test-{SEED}"


def test_nothing_is_lost_and_no_queue_has_two_owners(
    kafka: EmbeddedKafka, lines: Lines, controller: ControllerProcess
) -> None:
    """Numbered messages through kills, freezes, twins and cut lines; the history is kept."""
    rmtree(KEPT, ignore_errors=True)
    installation = (Broker(kafka, lines), controller)
    history = play(Round(SEED, SECONDS, KINDS), installation, on_kafka, KEPT)
    (KEPT / "ownership.svg").write_text(drawing(f"seed {SEED}", history))

    assert {} == violations(history), (f"seed {SEED}, kept in {KEPT}", figures(history))
    happened = figures(history)
    assert happened["acknowledged"] > 0
    assert happened["commits"] > 0
    cured = {event.said for event in history if event.kind == "cured"}
    assert [] == [kind for kind in KINDS if not any(it.startswith(kind) for it in cured)]
