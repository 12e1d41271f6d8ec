"""Only `assignments` cannot be written (F3): the batch is repeated until it can be."""

from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # public, but only for Python
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from chaos.kills import audited
from console.embedded.broker import EmbeddedKafka
from streaming.startup.batch_logs import COMMITS
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller.watched_group import QUEUES, WatchedGroup
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS
from trimtab import Member
from trimtab.protocol import ASSIGNMENTS, HISTORY, MemberChanged, decode, partition_of

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

FAILED, WORKS = "cannot run the query; retrying", "can run the query again"
PATIENCE_S = 90.0
"""Pauses grow to half a minute, and then the query has to start."""
LIMIT = "max.message.bytes"
OTHERS = "others"
"""A group of one, who is told one record: what is refused for its size ends the query at once. If
it is several, the producer divides them and sends them again for two minutes (KAFKA-8350)."""


@pytest.mark.timeout(600)
def test_what_cannot_be_published_is_not_decided(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    topic: str,
    lone_member: MakeMember,
) -> None:
    """No state advances and nothing moves; the log says why; afterwards the batch is repeated."""
    servers = kafka.bootstrap_servers
    with ExitStack() as running:
        controller = running.enter_context(ControllerProcess(tmp_path, servers, topics_prefix))
        published = running.enter_context(closing(Published(servers, topics_prefix)))
        members = [running.enter_context(lone_member(it)) for it in "ab"]
        watched = WatchedGroup(published, group, members)
        published.wait_until(lambda: published.has_heirs(group, "ab", QUEUES))
        decided = f"{topics_prefix}{ASSIGNMENTS.name}"
        with watched.unmoved(lasting=SESSION_S):
            usual = limited(servers, decided, "1")
            newcomer = Member(
                servers, prefix=topics_prefix, group=OTHERS, topics=[topic], member_id="c"
            )
            running.enter_context(newcomer)
            controller.wait_for_line(FAILED, within=PATIENCE_S)
            committed = commits(tmp_path)
            published.watch(1.5 * SESSION_S)
            assert committed == commits(tmp_path)
            assert () == newcomer.assignment
            limited(servers, decided, usual)
            controller.wait_for_line(WORKS, within=PATIENCE_S)
            newcomer.wait_until(lambda it: len(it.assignment) == QUEUES, timeout=PATIENCE_S)
        (line,) = controller.lines(FAILED)
        assert "RecordTooLargeException" in line
        assert 1 == len(set(joins_of(servers, topics_prefix, OTHERS, "c")))
        assert [] == audited(servers, topics_prefix)


def commits(home: Path) -> int:
    """The last batch that is done: no state after it is ever read."""
    return max(int(it.name) for it in (home / "checkpoint" / COMMITS).glob("[0-9]*"))


def limited(servers: str, topic: str, most: str) -> str:
    """Have a topic take records of so many bytes at most; return how many it was."""
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    (described,) = admin.describe_configs([ConfigResource(ResourceType.TOPIC, topic)]).values()
    before = str(described.result()[LIMIT].value)
    entry = ConfigEntry(LIMIT, most, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    (changed,) = admin.incremental_alter_configs([resource]).values()
    changed.result()
    return before


def joins_of(servers: str, prefix: str, group: str, member: str) -> list[bytes]:
    """Each time that the history says that a member has come, as it is written."""
    place = TopicPartition(f"{prefix}{HISTORY.name}", partition_of(group, PARTITIONS), 0)
    settings = {"bootstrap.servers": servers, "group.id": "bytes", "enable.partition.eof": True}
    with closing(Consumer(settings)) as consumer:
        consumer.assign([place])
        found = list[bytes]()
        while (message := consumer.poll(PATIENCE_S)) is not None and message.error() is None:
            value = message.value() or b""
            said = decode(HISTORY, value)
            if isinstance(said, MemberChanged) and (said.group, said.member) == (group, member):
                found.append(value)
    return found
