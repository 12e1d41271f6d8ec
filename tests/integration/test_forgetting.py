"""A controller whose checkpoint is deleted when its group has been forgotten."""

import shutil
from pathlib import Path

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab.protocol import DEFAULT_PARTITIONS, Forget, encode, partition_of

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]


@pytest.mark.timeout(600)  # two starts of Spark
def test_tokens_survive_their_group_and_the_checkpoint(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """Everybody left, the group was forgotten by order, and then the checkpoint was lost (G13)."""
    servers = kafka.bootstrap_servers

    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with lone_member("a") as a, lone_member("b") as b:
            published.wait_until(lambda: published.is_stable(group, "ab", 8))
            a.wait_until(lambda it: len(it.assignment) == 4)
            b.wait_until(lambda it: len(it.assignment) == 4)
            before = max(grant.token for it in (a, b) for grant in it.assignment)
        published.wait_until(lambda: published.groups[group].members == 0)
        forget(servers, topics_prefix, group)
        published.wait_until(lambda: {"c1": "done"} == published.answers(group))

        controller.kill()
        shutil.rmtree(tmp_path / "checkpoint")
        controller.start()
        with lone_member("c") as c:
            c.wait_until(lambda it: len(it.assignment) == 8)
            assert min(grant.token for grant in c.assignment) > before
        published.close()


def forget(servers: str, prefix: str, group: str) -> None:
    """Order that a group be forgotten."""
    producer = Producer({"bootstrap.servers": servers})
    order = encode(Forget(id="c1", principal="ann", reason="retired"))
    partition = partition_of(group, DEFAULT_PARTITIONS)
    producer.produce(f"{prefix}commands", order, group.encode(), partition)
    assert 0 == producer.flush(30)
