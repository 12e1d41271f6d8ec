"""A controller that was away while many beats were written. Five million: ``bench.backlog``."""

from pathlib import Path

import pytest

from bench.backlog.flood import flood
from bench.backlog.memory import watched
from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

BEATS = 120_000
"""More than a batch may hold."""
MEMORY_BYTES = 2 << 30


@pytest.mark.timeout(900)  # two starts of Spark
def test_a_backlog_is_digested_and_moves_nothing(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """In pieces, within bounds of memory; who lives keeps what it has, and newcomers come in."""
    servers = kafka.bootstrap_servers
    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with lone_member("a") as a, lone_member("b") as b:
            published.wait_until(lambda: published.is_stable(group, "ab", 8))
            published.wait_until(lambda: all(map(published.is_read_by, (a, b))))
            before = {it: set(it.assignment) for it in (a, b)}
            controller.kill()
            flood(servers, topics_prefix, BEATS, PARTITIONS)
            assert before == {it: set(it.assignment) for it in (a, b)}

            controller.start()
            with watched(controller.pid) as memory, lone_member("c") as c:
                c.wait_until(lambda it: len(it.assignment) > 0)
                published.wait_until(lambda: published.is_stable(group, "abc", 8))
                published.watch(SESSION_S / 2)
                after = {it: set(it.assignment) for it in (a, b)}
                assert [set(), set()] == [after[it] - before[it] for it in (a, b)]
        endings = {it.ending for it in published.handovers(group) if it.to_member == "c"}
        published.close()

    assert {"released"} == endings
    assert MEMORY_BYTES > memory[0]
    assert 1 == len(list(tmp_path.glob("checkpoint*")))
