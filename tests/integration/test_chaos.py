"""Chaos, shortly: members with real messages, faults by a seed, and all checks (`make chaos`)."""

from shutil import rmtree

import pytest

from chaos.checks import violations
from chaos.drawing import drawing
from chaos.faults import Kind
from chaos.installation import Broker
from chaos.report import figures
from chaos.round import Round, play
from console.embedded.broker import EmbeddedKafka
from tests.builders.checkout import ROOT
from tests.integration.controller_process import ControllerProcess

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

SEED = 156
SECONDS = 26.0
KINDS = frozenset(Kind) - {Kind.BROKER_RESTARTED}
"""Other tests use this broker as well: it may not move."""
STRUCK = {
    "broker frozen",
    "controller killed",
    "doubled m3",
    "frozen past its session m0",
    "killed m2",
    "slow with a message, while another restarts m1",
}
KEPT = ROOT / ".cache" / "chaos" / f"test-{SEED}"


def test_nothing_is_lost_and_no_queue_has_two_owners(
    kafka: EmbeddedKafka, controller: ControllerProcess
) -> None:
    """Numbered messages through kills, freezes, twins and restarts; the history is kept."""
    rmtree(KEPT, ignore_errors=True)
    history = play(Round(SEED, SECONDS, KINDS), Broker(kafka), controller, KEPT)
    (KEPT / "ownership.svg").write_text(drawing(f"seed {SEED}", history))

    assert {} == violations(history), (f"seed {SEED}, kept in {KEPT}", figures(history))
    assert STRUCK <= {event.said for event in history if event.kind == "cured"}
    assert figures(history)["acknowledged"] > SECONDS
