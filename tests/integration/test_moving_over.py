"""A controller that begins a new checkpoint: because it is told to, or because it must."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import delete_topic
from trimtab import Member
from trimtab.protocol import DEFAULT_PARTITIONS, HEARTBEATS, MEMBERS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

UNHEALTHY = 3
GONE = "records were deleted before they were read"


@pytest.mark.timeout(900)  # three starts of Spark
def test_cells_are_changed_under_living_members(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, group: str, lone_member: MakeMember
) -> None:
    """Refused, with the way; and that way nothing moves, nobody expires, and epochs go on."""
    servers, cells = kafka.bootstrap_servers, {"controller.cells_per_partition": 3}
    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with lone_member("a") as a, lone_member("b") as b:
            settle(published, group, a, b)
            assert 0 == controller.stop()
            refused = ControllerProcess(tmp_path, servers, topics_prefix, **cells)
            assert UNHEALTHY == refused.refuses()
            (line,) = refused.lines("trimtab: ")
            assert "controller.cells_per_partition is 3, but the checkpoint was started" in line
            assert "with 1:" in line
            assert "`trimtab run --new-checkpoint`" in line

            way = ["--new-checkpoint"]
            new = ControllerProcess(tmp_path, servers, topics_prefix, way, **cells)
            with ExitStack() as running:
                with adopting(published, group, a, b):
                    running.enter_context(new)
                assert all(it.stop() for it in (a, b))
                assert 0 == new.stop()
        published.close()
    assert 2 == len(list(tmp_path.glob("checkpoint*")))  # the old one is kept


@pytest.mark.timeout(900)  # two starts of Spark
def test_whoever_was_away_for_too_long_goes_on_from_what_is_left(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, group: str, lone_member: MakeMember
) -> None:
    """One line says what is gone, of a topic that was made anew too; and nothing moves."""
    servers = kafka.bootstrap_servers
    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with lone_member("a") as a, lone_member("b") as b:
            settle(published, group, a, b)
            controller.kill()
            published.watch(2.0)  # beats that it will not have read
            drop_all(servers, f"{topics_prefix}{HEARTBEATS.name}")
            delete_topic(servers, f"{topics_prefix}{MEMBERS.name}")  # its start makes it anew

            with adopting(published, group, a, b):
                controller.start()
            (line,) = controller.lines(GONE)
            assert f"'{topics_prefix}{MEMBERS.name}': 'made anew'" in line
            assert f"'{topics_prefix}{HEARTBEATS.name}': " in line
            assert not controller.lines("failed; retrying")
        published.close()


def settle(published: Published, group: str, *members: Member) -> None:
    """Wait until all is shared out, and known to be."""
    names = [it.member_id for it in members]
    published.wait_until(lambda: published.is_stable(group, names, 8))
    published.wait_until(lambda: all(map(published.is_read_by, members)))


@contextmanager
def adopting(published: Published, group: str, *members: Member) -> Iterator[None]:
    """See members keep what they have under a greater epoch, for longer than a session."""
    published.catch_up()  # what was said before is no news
    before, epoch = [it.assignment for it in members], published.groups[group].epoch
    said = len(published.of_group(group))
    yield
    published.wait_until(lambda: published.groups[group].epoch > epoch)
    published.watch(1.5 * SESSION_S)

    assert before == [it.assignment for it in members]
    assert [] == [
        it for it in published.of_group(group)[said:] if it.kind in {"handover", "member"}
    ]
    settle(published, group, *members)


def drop_all(servers: str, topic: str) -> None:
    """Have a topic lose all that it holds, as retention does."""
    end = -1  # librdkafka's OFFSET_END
    places = [TopicPartition(topic, it, end) for it in range(DEFAULT_PARTITIONS)]
    client = AdminClient({"bootstrap.servers": servers, "log_level": 2})
    for dropped in client.delete_records(places).values():
        dropped.result()
