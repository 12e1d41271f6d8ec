"""Two clusters of RocketMQ under one controller: what is of the one is not of the other.

A topic of both is the first one's alone, as docs/rocketmq.md says; their brokers have one name, and
their consumers one client id.
"""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

import pytest

from bench.rocketmq.programs import FIVE
from console.embedded.broker import EmbeddedKafka
from console.embedded.ports import choose_ports
from tests.builders.command_line import Run
from tests.integration.controller_process import ControllerProcess
from tests.integration.java_process import JavaProcess
from tests.integration.java_programs import java
from tests.integration.published import Published
from tests.integration.rocketmq.consumers import WITH_RETRIES, Consumers
from tests.integration.rocketmq.test_producers import avoids
from tests.integration.rocketmq_server import RocketMQ

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

SIDES: Final = {"east": ["broker-b"], "west": list[str]()}
"""The clusters, in the order of the setting, with the brokers that each has besides broker-a."""
FEWER: Final = 3
"""Queues that the topic of the first cluster has in the second."""


@pytest.fixture
def controller(
    kafka: EmbeddedKafka, topics_prefix: str, tmp_path: Path
) -> Iterator[ControllerProcess]:
    """One of the test's own: a cluster that is away would hold up what other tests wait for."""
    home, servers = tmp_path / "controller", kafka.bootstrap_servers
    names = ", ".join(f"127.0.0.1:{port}" for port in choose_ports(len(SIDES)))
    settings = {"routes.name_servers": names}
    with ControllerProcess(home, servers, topics_prefix, **settings) as controller:
        yield controller


@pytest.fixture
def sides(
    tmp_path: Path, controller: ControllerProcess, published: Published, group: str
) -> Iterator[dict[str, Consumers]]:
    """A group in each cluster, with a topic of its own."""
    servers = {
        side: RocketMQ(tmp_path / side / "server", names, f"{side}-{group}", further)
        for names, (side, further) in zip(controller.name_servers, SIDES.items(), strict=True)
    }
    with ExitStack() as stack:
        for it in servers.values():
            stack.enter_context(it)
        yield {
            side: stack.enter_context(
                closing(Consumers(tmp_path / side, controller, published, f"{group}-{side}", it))
            )
            for side, it in servers.items()
        }


@pytest.mark.timeout(600)
def test_what_is_of_one_cluster_is_not_of_the_other(
    sides: dict[str, Consumers],
    controller: ControllerProcess,
    published: Published,
    group: str,
    terminal: Run,
    tmp_path: Path,
) -> None:
    """Queues, a broker that is out of use, and a name server that is away."""
    east, west = sides.values()
    for consumers in sides.values():
        consumers.begin()
        consumers.tell_server("topic sent 2", "made")
    west.tell_server(f"topic {east.group}-topic {FEWER}", "made")
    for consumers in sides.values():
        consumers.join("a", FIVE, "concurrently")
    all_of_east = 2 * WITH_RETRIES
    published.wait_until(lambda: published.is_stable(east.group, {"worker@a"}, all_of_east))
    west.settle("a")
    doubled = f"topic={east.group}-topic", *controller.name_servers
    controller.wait_for_line("in several clusters", *doubled, within=30)

    clusters = [f"{side}-{group}" for side in SIDES]
    with ExitStack() as stack:
        senders = []
        for names, cluster in zip(controller.name_servers, clusters, strict=True):
            about = [names, controller.servers, controller.prefix, "sent", cluster]
            program = [*java("RocketSender", FIVE), *about]
            senders.append(stack.enter_context(JavaProcess(tmp_path / cluster, program)))
        about = ["--cluster", clusters[0], "--reason", "a test", "--force"]
        # A command makes a broker known; the only one that is would stay in use.
        for command in ("restore", "broker-b"), ("eject", "broker-a"):
            assert 0 == terminal("brokers", *command, *about)[0]
        published.wait_until(lambda: avoids(senders[0], "broker-a", "true"))
        assert avoids(senders[1], "broker-a", "false")
        assert 0 == terminal("brokers", "restore", "broker-a", *about)[0]
        published.catch_up()
        assert {clusters[0]} == {it.cluster for it in published.verdicts} & {*clusters}

    east.tell_names("stop")
    west.join("b", FIVE, "concurrently")
    west.settle("a", "b")
    assert published.is_stable(east.group, {"worker@a"}, all_of_east)
    for consumers in sides.values():
        sent = consumers.stop()
        assert set(range(sent)) == consumers.numbers()
    assert all_of_east - 2 == len({it.queue for it in east.work() if "RETRY" not in it.queue[0]})
