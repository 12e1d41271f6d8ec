"""A controller that begins a new checkpoint: it is told to, or it must, or the old one is lost.

One group lives through all of it: each start of Spark takes ten seconds.
"""

import shutil
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller.watched_group import QUEUES, WatchedGroup
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS, delete_topic
from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    Forget,
    encode,
    partition_of,
)

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

UNHEALTHY = 3
CELLS = {
    "controller.cells_per_partition": 3,
    "spark.options.spark.sql.shuffle.partitions": 2,
}
"""Both are frozen with a checkpoint: by us, and by Spark."""
GONE = "records were deleted before they were read"


@pytest.mark.timeout(1_500)  # five starts of Spark
def test_a_new_checkpoint_begins_where_the_old_one_ended(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, group: str, lone_member: MakeMember
) -> None:
    """Other cells and tasks, less to read, or nobody left: nothing moves, no token goes back."""
    servers = kafka.bootstrap_servers
    one_cell = ControllerProcess(tmp_path, servers, topics_prefix)
    three_cells = ControllerProcess(tmp_path, servers, topics_prefix, **CELLS)
    with ExitStack() as running:
        for it in (one_cell, three_cells):
            running.push(it)  # stopped when their members have left
        one_cell.start()
        published = running.enter_context(closing(Published(servers, topics_prefix)))
        with lone_member("a") as a, lone_member("b") as b:
            watched = WatchedGroup(published, group, [a, b])
            watched.settle()
            assert 0 == one_cell.stop()

            way = cells_are_changed(three_cells)
            with watched.adopted(lasting=1.5 * SESSION_S):
                moved = ControllerProcess(tmp_path, servers, topics_prefix, [way], **CELLS)
                running.push(moved)
                moved.start()
            assert 2 == len(list(tmp_path.glob("checkpoint*")))  # the old one is kept

            moved.kill()
            published.watch(2.0)  # beats that it will not have read
            with watched.adopted(lasting=1.5 * SESSION_S):
                records_are_gone(three_cells)
            assert not three_cells.lines("; retrying")
            before = max(grant.token for it in (a, b) for grant in it.assignment)

        published.wait_until(lambda: published.groups[group].members == 0)
        everything_is_forgotten(three_cells, published, group)
        with lone_member("c") as c:
            c.wait_until(lambda it: len(it.assignment) == QUEUES)
            assert min(grant.token for grant in c.assignment) > before


def cells_are_changed(controller: ControllerProcess) -> str:
    """It refuses to go on with a checkpoint of other settings, and names the way (A14)."""
    assert UNHEALTHY == controller.refuses()
    cells, tasks = controller.lines("trimtab: ")
    assert "controller.cells_per_partition is 3, but the checkpoint was started with 1:" in cells
    assert "spark.sql.shuffle.partitions is 2, but the checkpoint was started with 1:" in tasks
    assert all("`trimtab run --new-checkpoint`" in line for line in (cells, tasks))
    return "--new-checkpoint"


def records_are_gone(controller: ControllerProcess) -> None:
    """One line says what is gone, of a topic that was made anew too (A15)."""
    servers, prefix = controller.servers, controller.prefix
    drop_all(servers, f"{prefix}{HEARTBEATS.name}")
    delete_topic(servers, f"{prefix}{MEMBERS.name}")  # its start makes it anew
    controller.start()
    (line,) = controller.lines(GONE)
    assert f"'{prefix}{MEMBERS.name}': 'made anew'" in line
    assert f"'{prefix}{HEARTBEATS.name}': " in line


def everything_is_forgotten(
    controller: ControllerProcess, published: Published, group: str
) -> None:
    """Everybody left, the group is forgotten by a command, and the checkpoint is lost (G13)."""
    forget(controller.servers, controller.prefix, group)
    published.wait_until(lambda: {"c1": "done"} == published.answers(group))
    controller.kill()
    shutil.rmtree(controller.home / "checkpoint")
    controller.start()


def drop_all(servers: str, topic: str) -> None:
    """Have a topic lose all that it holds, as retention does."""
    end = -1  # librdkafka's OFFSET_END
    places = [TopicPartition(topic, it, end) for it in range(PARTITIONS)]
    client = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    for dropped in client.delete_records(places).values():
        dropped.result()


def forget(servers: str, prefix: str, group: str) -> None:
    """Have a group forgotten."""
    producer = Producer({"bootstrap.servers": servers})
    command = encode(Forget(id="c1", principal="ann", reason="retired"))
    partition = partition_of(group, PARTITIONS)
    producer.produce(f"{prefix}commands", command, group.encode(), partition)
    assert 0 == producer.flush(30)
