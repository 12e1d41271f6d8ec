"""Chaos on RocketMQ, shortly: its own clients and servers are hurt (`make chaos KIND=rocketmq`)."""

from functools import partial
from pathlib import Path
from shutil import rmtree

import pytest

from chaos.checks import violations
from chaos.drawing import drawing
from chaos.faults import Kind
from chaos.installation import Broker
from chaos.lines import Lines
from chaos.on_rocketmq import checks_by, on_rocketmq
from chaos.report import figures
from chaos.rocketmq_servers import Servers
from chaos.round import Round, play
from console.embedded.broker import EmbeddedKafka
from tests.builders.checkout import ROOT
from tests.integration.controller_process import ControllerProcess

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow, pytest.mark.alone]

SEED = 8931
"""It draws each kind once, and none of them late. Its consumers have a concurrent listener."""
SECONDS = 17.0
KINDS = frozenset(
    {
        Kind.KILL,
        Kind.FREEZE,
        Kind.SLOW,
        Kind.TWIN,
        Kind.CUT,
        Kind.NAMES_AWAY,
        Kind.ROCKETMQ_KILLED,
        Kind.CONTROLLER_FROZEN,
    }
)
"""Other tests use this Kafka and this controller as well; the seed draws all of these."""
KEPT = ROOT / ".cache" / "chaos" / f"test-rocketmq-{SEED}"


def test_rocketmqs_consumers_lose_nothing_and_no_queue_has_two_owners(
    kafka: EmbeddedKafka, lines: Lines, controller: ControllerProcess, names: str, tmp_path: Path
) -> None:
    """Numbered messages while consumers, a broker and the name server come to harm."""
    rmtree(KEPT, ignore_errors=True)
    with Servers(tmp_path / "rocketmq", names=names) as servers:
        installation, work_on = (Broker(kafka, lines), controller), partial(on_rocketmq, servers)
        history = play(Round(SEED, SECONDS, KINDS), installation, work_on, KEPT)
    (KEPT / "ownership.svg").write_text(drawing(f"seed {SEED}", history))

    wrong = violations(history, checks_by(SEED))
    assert {} == wrong, (f"seed {SEED}, kept in {KEPT}", figures(history))
    happened = figures(history)
    assert happened["acknowledged"] > 0
    assert happened["commits"] > 0
    cured = {event.said for event in history if event.kind == "cured"}
    assert [] == [kind for kind in KINDS if not any(it.startswith(kind) for it in cured)]
