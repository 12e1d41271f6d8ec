"""A controller that is killed without a warning, and comes back."""

from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

SETTLING_S = 2.0
"""For what the last batch said by other topics than the one that was waited for."""


@pytest.mark.timeout(900)  # two starts of Spark
def test_nothing_moves_for_a_killed_controller(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """Members keep what they have while it is away and after; then it decides as before."""
    servers = kafka.bootstrap_servers

    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with lone_member("a") as a, lone_member("b") as b:
            published.wait_until(lambda: published.is_stable(group, "ab", 8))
            published.wait_until(lambda: all(map(published.is_read_by, (a, b))))
            published.watch(SETTLING_S)
            before = (a.assignment, b.assignment, dict(published.assignments))
            said = list(published.history)

            controller.kill()
            published.watch(SESSION_S)
            controller.start()
            published.watch(SESSION_S + SETTLING_S)

            assert before == (a.assignment, b.assignment, published.assignments)
            # A batch that was cut off after its records and before its commit is run again, and
            # says the same again, to the byte; nothing else is said.
            assert [] == [entry for entry in published.history if entry not in said]

            with lone_member("c") as c:
                c.wait_until(lambda it: len(it.assignment) > 0)
                published.wait_until(lambda: published.is_stable(group, "abc", 8))
        published.close()
