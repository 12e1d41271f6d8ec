"""Three brokers restart in turn, under a controller and members at work: nothing moves (F2)."""

import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    NewTopic,
)

from bench.brokers.cluster import Cluster, rack_of
from bench.brokers.plan import BROKERS
from chaos.kills import audited
from tests.integration.conftest import SESSION_S
from tests.integration.controller.watched_group import QUEUES, WatchedGroup
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import PATIENCE_S, Published
from trimtab import Member
from trimtab.protocol import DEFAULT_PREFIX, MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

GROUP, TOPIC = "billing", "orders"
START_S = 30.0
"""A query starts in three to five seconds on two idle cores; here four tests share them."""
UNHEARD_MS = 9_000
"""Kafka's own default. A broker whose end its cluster has not heard of is let in again after it."""


@pytest.mark.timeout(900)
def test_a_rolling_restart_of_the_brokers_moves_nothing(tmp_path: Path) -> None:
    """Nobody is evicted, and all work again in time; who is down stands where it stood."""
    settings = {
        "topics.replication_factor": BROKERS,
        "routes.racks": True,
        "policy.strategy_options.racks": "kafka",
    }
    with ExitStack() as running:
        cluster = running.enter_context(Cluster(tmp_path / "kafka", {}, UNHEARD_MS))
        servers = cluster.servers
        create_replicated(servers)
        controller = running.enter_context(
            ControllerProcess(tmp_path / "controller", servers, DEFAULT_PREFIX, **settings)
        )
        published = running.enter_context(closing(Published(servers, DEFAULT_PREFIX)))
        racks = dict(zip("abc", map(rack_of, cluster.names), strict=True))
        members = [running.enter_context(a_member(servers, it, racks[it])) for it in "ab"]
        WatchedGroup(published, GROUP, members).settle()
        before = [queues(it) for it in members]
        for name in cluster.names:
            wait_until_replicated(servers)
            cluster.restart(name)
        all_work_again(members)
        published.watch(SESSION_S)
        assert before == [queues(it) for it in members]
        said = published.of_group(GROUP)
        assert {"joined", "rejoined"} >= {it.event for it in said if isinstance(it, MemberChanged)}
        members.append(running.enter_context(a_member(servers, "c", racks["c"])))
        WatchedGroup(published, GROUP, members).settle()
        assert [] == audited(servers, DEFAULT_PREFIX)
        assert 0 == controller.stop()


def a_member(servers: str, name: str, rack: str) -> Member:
    """A member with a session of the usual length, beside one of the brokers."""
    session = float(SESSION_S)
    return Member(
        servers, group=GROUP, topics=[TOPIC], member_id=name, session_timeout=session, rack=rack
    )


def queues(member: Member) -> set[object]:
    """What it works on; tokens may be new, since who was cut off comes back in a new life."""
    return {it.queue for it in member.assignment}


def all_work_again(members: list[Member]) -> None:
    """Each has its share, within a session and a start."""
    deadline = time.monotonic() + SESSION_S + START_S
    for it in members:
        left = max(0.1, deadline - time.monotonic())
        it.wait_until(lambda now: len(now.assignment) == QUEUES // len(members), left)


def create_replicated(servers: str) -> None:
    """Make a topic that each broker has."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    admin.create_topics([NewTopic(TOPIC, QUEUES, BROKERS)])[TOPIC].result()


def wait_until_replicated(servers: str) -> None:
    """Wait until every broker has all that is written: then the next one may go."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    deadline = time.monotonic() + PATIENCE_S
    while not all(
        len(part.isrs) == BROKERS
        for name, topic in admin.list_topics(timeout=PATIENCE_S).topics.items()
        if name == TOPIC or name.startswith(DEFAULT_PREFIX)
        for part in topic.partitions.values()
    ):
        assert time.monotonic() < deadline, "a broker does not catch up"
        time.sleep(0.1)
