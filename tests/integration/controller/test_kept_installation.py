"""What earlier builds have left, a checkpoint and topics, is gone on with."""

from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.controller.kept_installation import (
    KEPT,
    MEMBERS,
    PAUSED,
    PREFIX,
    QUEUES,
    WORKING,
    joined,
    restore,
)
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", sorted(it.name.split(".")[0] for it in KEPT.iterdir()))
def test_what_an_earlier_build_has_left_is_gone_on_with(name: str, tmp_path: Path) -> None:
    """Its checkpoint is read and not replaced: members keep their queues, and a pause lasts."""
    with ExitStack() as running:
        kafka = running.enter_context(EmbeddedKafka(tmp_path / "kafka", port=0))
        servers, home = kafka.bootstrap_servers, tmp_path / "controller"
        home.mkdir()
        last = restore(name, home, servers)
        with closing(Published(servers, PREFIX)) as before:
            before.catch_up()
            held = {key: it.hold for key, it in before.assignments.items() if it is not None}
            epochs = {group: it.epoch for group, it in before.groups.items()}
        controller = ControllerProcess(home, servers, PREFIX)
        running.push(controller)  # ended when its members have left
        assert controller.start().batch > last
        published = running.enter_context(closing(Published(servers, PREFIX)))
        published.catch_up()
        members = [running.enter_context(joined(servers, WORKING, it)) for it in MEMBERS]
        published.wait_until(lambda: published.groups[WORKING].epoch > epochs[WORKING])
        published.wait_until(lambda: published.is_stable(WORKING, MEMBERS, QUEUES))
        published.wait_until(lambda: all(map(published.is_read_by, members)))

        assert [home / "checkpoint"] == list(home.glob("checkpoint*"))
        tokens = {row.epoch for hold in held.values() for row in hold}
        assert min(it.token for member in members for it in member.assignment) > max(tokens)
        # Only a checkpoint knows of a pause: whoever adopts what is published forgets it.
        newcomer = running.enter_context(joined(servers, PAUSED, "c"))
        published.wait_until(lambda: published.groups[PAUSED].members == len(MEMBERS) + 1)
        assert published.groups[PAUSED].paused is not None
        assert () == newcomer.assignment
