"""Old consumers beside attached ones, in the middle of a move: what happens, and who says so."""

import json

import pytest

from bench.rocketmq.programs import FIVE, FOUR
from tests.builders.command_line import Run
from tests.integration.controller_process import ControllerProcess
from tests.integration.rocketmq.consumers import Consumers, overlaps

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


def unattached(terminal: Run, group: str) -> str:
    """What the doctor says of them."""
    _, out, error = terminal("doctor", group, "-o", "json")
    assert "not looked for" not in error
    found = json.loads(out)["findings"]
    return "".join(it["finding"] for it in found if it["kind"] == "unattached consumers")


def test_old_consumers_in_a_group_that_obeys_are_named(
    controller: ControllerProcess,
    group: str,
    terminal: Run,
    consumers: Consumers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its queues have two owners, as docs/rocketmq.md says; no message is lost by that."""
    monkeypatch.setenv("TRIMTAB_ROUTES__NAME_SERVERS", controller.name_servers[0])
    consumers.begin()
    consumers.join("a", FIVE, "concurrently")
    consumers.settle("a")
    assert not unattached(terminal, group)

    consumers.join("old", FOUR, "concurrently", fallback="BROKER")
    consumers.workers["old"].wait_for(" end ", count=20)
    assert "1 consumers" in (told := unattached(terminal, group))
    assert told.endswith("RocketMQ's rule, without the controller: worker@old")

    assert consumers.workers["old"].end() == 0
    assert not unattached(terminal, group)
    sent = consumers.stop()

    assert set(range(sent)) <= {it.number for it in consumers.work()}
    assert {"a", "old"} == {it.worker for pair in overlaps(consumers.work()) for it in pair}
