"""What is said again and again for hours behind a shut gate is a few records."""

from collections import deque
from dataclasses import replace

import pytest

from streaming.cell.codec import Cell, read, write
from streaming.cell.fold import fold
from streaming.cell.gate import SHUT
from streaming.cell.gate import read as read_gate
from streaming.cell.packed import unpack
from streaming.wire.rocketmq import CellPlace
from tests.builders.log import Log
from tests.builders.rocketmq import CLIENT, consumer, heartbeat
from tests.unit.streaming.cell.started import NEW, PLACE, RULES, tick, told
from trimtab.protocol import COMMANDS, ROCKETMQ, Pace, Pause

PACE = Pace(id="p", principal="trimtab-1", reason="many members", interval_ms=3_000)
PAUSE = Pause(id="o", principal="ann", reason="because")


def test_of_what_a_client_repeats_only_the_last_waits() -> None:
    """For hours, by two brokers, and all of it is delivered to every cell."""
    elsewhere = replace(RULES, decoder=replace(RULES.decoder, place=CellPlace((PLACE + 1) % 8)))
    for known, waits in ((RULES, [49_000, 49_001]), (elsewhere, [])):
        log, cell = Log(), Cell(gate=SHUT)
        groups = deque(map(consumer, ("billing", "refunds", "orders")))
        for second in range(1, 50):
            for _ in range(20):
                log.append(ROCKETMQ, CLIENT, heartbeat(*groups), at=second * 1_000)
                groups.rotate()  # as it writes them: in any order
            leaves = b'{"clientID":"b","consumerGroup":"billing"}'
            log.append(ROCKETMQ, "b", leaves, at=second * 1_000 + 1)
            cell = fold(read(write(cell)), log.read(), known).cell

        assert waits == [it.appended_ms for it in read_gate(cell.gate).waiting]


def test_of_the_paces_of_a_group_only_the_last_waits() -> None:
    """A new checkpoint reads those of months; what operators commanded stays, each."""
    log, cell = Log(), Cell(gate=SHUT)
    group = {"billing": 1_000, "billing-2": 1_001}
    for second in range(1, 51):
        for name, at in group.items():
            asked = PACE.model_copy(update={"id": f"{second}"})
            log.append(COMMANDS, name, asked, at=at + second, partition=PLACE)
        cell = fold(read(write(cell)), log.read(), RULES).cell
    for second in range(60, 63):
        log.append(COMMANDS, "billing", PAUSE, at=second * 1_000)
    log.append(COMMANDS, "billing", b'{"v":1,"kind":"pace"}', at=70_000)
    cell = fold(read(write(cell)), log.read(), RULES).cell

    waits = [(it.key, it.appended_ms) for it in read_gate(cell.gate).waiting]
    assert sorted(waits) == [
        (b"billing", 1_050),
        *((b"billing", second * 1_000) for second in (60, 61, 62, 70)),
        (b"billing-2", 1_051),
    ]


@pytest.mark.parametrize("returns", [True, False])
def test_what_a_client_said_last_counts(*, returns: bool) -> None:
    """It leaves one group of two, of which its other heartbeats do not speak; it may come back."""
    both, one = heartbeat(consumer("billing"), consumer("billing-2")), heartbeat(consumer("other"))
    leaves = b'{"clientID":"%s","consumerGroup":"billing"}' % CLIENT.encode()
    log, cell = Log(), Cell(gate=SHUT)
    told(log, NEW, 1_000, whole=False)
    told(log, NEW, 1_000, whole=True)
    for second, said in enumerate((both, both, leaves, one, *([both] if returns else [])), 2):
        log.append(ROCKETMQ, CLIENT, said, at=second * 1_000)
        cell = fold(read(write(cell)), log.read(), RULES).cell
    tick(log, NEW, 0, None, 9_000)
    tick(log, NEW, 1, 0, 9_000)
    cell = fold(cell, log.read(), RULES).cell

    assert {"billing-2", "other", *(["billing"] if returns else [])} == {
        name
        for name, packed in cell.groups.by_name().items()
        if CLIENT in unpack(packed).membership.members
    }
