"""Two controllers on the same topics: the younger one goes on, and nothing moves."""

from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from streaming.startup.succession import TAKEN_OVER
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab import Member

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

FAILED = 1
PATIENCE_S = 30.0


@pytest.mark.timeout(900)  # two starts of Spark
def test_the_older_of_two_controllers_gives_way(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path, group: str, topic: str
) -> None:
    """It ends by itself and says why; the other, whose checkpoint is empty, goes on for it (A5)."""
    servers = kafka.bootstrap_servers
    older = ControllerProcess(tmp_path / "older", servers, topics_prefix)
    younger = ControllerProcess(tmp_path / "younger", servers, topics_prefix)
    with older:
        published = Published(servers, topics_prefix)
        member = Member(servers, prefix=topics_prefix, group=group, topics=[topic], member_id="a")
        with member:
            published.wait_until(lambda: published.is_stable(group, "a", 8))
            published.wait_until(lambda: published.is_read_by(member))
            before = member.assignment
            with younger:
                assert FAILED == older.ends(PATIENCE_S)
                assert TAKEN_OVER in older.log.read_text()
                assert TAKEN_OVER not in younger.log.read_text()
                published.watch(3.0)

                assert before == member.assignment
        published.close()
