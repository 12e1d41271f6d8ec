"""A controller that dies in the middle of a batch, and one that is away for a long time.

One story, since each start of Spark takes ten seconds. `make kills TIMES=20` hits every step.
"""

import json
import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from subprocess import Popen
from sys import executable

import pytest

from chaos.kills import Kills, audited
from chaos.population import Population
from chaos.steps import Step
from console.embedded.broker import EmbeddedKafka
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import create_topic
from trimtab import Grant, Member
from trimtab.protocol import Handover, MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

SESSION_S = 5
SESSIONS = {
    "policy.session_timeout": f"{SESSION_S}s",
    "policy.session_timeout_min": f"{SESSION_S}s",
    "policy.heartbeat_interval": "1s",
    "controller.max_clock_step": "1s",
    "controller.tick_interval": "500ms",
    "controller.heartbeat_batch_interval": "500ms",
}
AWAY_S = 10 * SESSION_S
QUEUES = 40
LIVING = [f"living-{it:02}" for it in range(17)]
DYING = [f"dying-{it}" for it in range(3)]


@pytest.mark.timeout(1_200)  # three starts of Spark
def test_nobody_moves_without_cause_whenever_it_dies(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, group: str, topic: str
) -> None:
    """It is killed in a sink and before a commit, and away for ten sessions, while three die."""
    servers = kafka.bootstrap_servers
    create_topic(servers, work := f"{topic}-work", QUEUES)
    options = {
        "bootstrap_servers": servers,
        "prefix": topics_prefix,
        "group": group,
        "topics": [work],
        "session_timeout": f"{SESSION_S}s",
    }
    with ExitStack() as running:
        controller = running.enter_context(
            ControllerProcess(tmp_path, servers, topics_prefix, **SESSIONS)
        )
        published = running.enter_context(closing(Published(servers, topics_prefix)))
        population = running.enter_context(
            closing(Population(servers, topics_prefix, "population", topic))
        )
        doomed = running.enter_context(process(options))
        members = [running.enter_context(Member(**options, member_id=it)) for it in LIVING]  # type: ignore[arg-type]  # plain JSON, checked by Member
        published.wait_until(lambda: published.is_stable(group, [*LIVING, *DYING], QUEUES))
        published.wait_until(lambda: all(map(published.is_read_by, members)))

        kills = Kills(controller, tmp_path / "checkpoint", population)
        kills.get_ready()
        before, said = assignments(members), said_of(published, group)
        kills.hit(Step.MID_SINK)
        hit, told = kills.kill(Step.AFTER_SINK)
        os.kill(doomed.pid, signal.SIGKILL)
        time.sleep(AWAY_S)
        assert before == assignments(members)
        kills.come_back(Step.AFTER_SINK, hit, told)

        published.wait_until(lambda: published.is_stable(group, LIVING, QUEUES))
        published.watch(2 * SESSION_S)
        only_the_dead_have_gone(said_of(published, group)[len(said) :])
        assert all(has <= now for has, now in zip(before, assignments(members), strict=True))
        assert [] == kills.wrong
        assert [] == audited(servers, topics_prefix, SESSIONS)


def only_the_dead_have_gone(said: list[Handover | MemberChanged]) -> None:
    """Each of them has expired, and each queue that has passed was theirs."""
    gone = [it for it in said if isinstance(it, MemberChanged)]
    assert sorted(("expired", it) for it in DYING) == sorted((it.event, it.member) for it in gone)
    assert {it.from_member for it in said if isinstance(it, Handover)} <= set(DYING)


def said_of(published: Published, group: str) -> list[Handover | MemberChanged]:
    """What was said of members and of queues that they passed on."""
    published.catch_up()
    every = published.of_group(group)
    return [it for it in every if isinstance(it, Handover | MemberChanged)]


def assignments(members: list[Member]) -> list[set[Grant]]:
    """What each of them works on, under which token."""
    return [set(it.assignment) for it in members]


@contextmanager
def process(options: Mapping[str, object]) -> Iterator[Popen[bytes]]:
    """The three that are to die, in a process of their own."""
    told = [json.dumps({**options, "member_id": it}) for it in DYING]
    with Popen([executable, "-m", "tests.integration.worker", *told]) as working:
        try:
            yield working
        finally:
            working.kill()
