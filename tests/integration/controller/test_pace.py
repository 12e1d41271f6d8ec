"""Members beat less often where the controller has more of them than its budget allows."""

from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from chaos.kills import audited
from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import MakeMember
from tests.integration.controller.watched_group import QUEUES
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab.protocol import CommandAnswer

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

AUTO = {"policy.heartbeat_interval": "auto", "policy.heartbeat_budget": "1"}
MEMBERS = "abcd"
"""Every 3 s, four of them would send more than one beat a second."""
INTERVAL_MS, SESSION_MS = 4_500, 18_000
START_S = 30.0


@pytest.mark.timeout(300)
def test_members_beat_as_rarely_as_the_budget_asks(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """All are told once, with a longer session; no queue moves; the history says why."""
    servers = kafka.bootstrap_servers
    with ExitStack() as running:
        running.enter_context(ControllerProcess(tmp_path, servers, topics_prefix, **AUTO))
        published = running.enter_context(closing(Published(servers, topics_prefix)))
        members = [running.enter_context(lone_member(it)) for it in MEMBERS]
        published.wait_until(lambda: published.is_stable(group, MEMBERS, QUEUES))
        for it in members:
            it.wait_until(
                lambda now: len(now.assignment) == QUEUES // len(MEMBERS), timeout=START_S
            )
        before = {it.member_id: {grant.queue for grant in it.assignment} for it in members}

        published.wait_until(
            lambda: (
                {(INTERVAL_MS, SESSION_MS)} == timeouts(published, group)
                and published.groups[group].pace_ms == INTERVAL_MS
            )
        )
        published.watch(2 * INTERVAL_MS / 1_000)

        assert before == {it.member_id: {grant.queue for grant in it.assignment} for it in members}
        (answer,) = (it for it in published.of_group(group) if isinstance(it, CommandAnswer))
        assert ("pace", "done") == (answer.command, answer.outcome)
        assert "4 members, and 1 beats a second" in answer.reason
    assert [] == audited(servers, topics_prefix)


def timeouts(published: Published, group: str) -> set[tuple[int, int]]:
    """The intervals and sessions that members were told last."""
    records = [it for key, it in published.assignments.items() if key.group == group]
    return {(it.heartbeat_interval_ms, it.session_timeout_ms) for it in records if it is not None}
