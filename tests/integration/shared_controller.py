"""The controller that the tests of one session share: from the first of them to the last.

One that has nothing to do takes a fifth of two cores. So where tests are dealt out in units
(``sharing``), it ends with its unit, and not with the session.
"""

import uuid
from collections.abc import Iterator
from typing import Final

import pytest

from console.embedded.broker import EmbeddedKafka
from console.embedded.ports import choose_port
from tests.builders.redis_server import RedisServer
from tests.builders.sharing import SHARED, file_of
from tests.integration.controller_process import ControllerProcess

_AT_WORK: Final = pytest.StashKey[ControllerProcess]()


@pytest.fixture(scope="session", name="controller")
def shared_controller(
    request: pytest.FixtureRequest,
    kafka: EmbeddedKafka,
    redis_server: RedisServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ControllerProcess]:
    """The session's controller, with Spark's pages on; take a group of your own on it.

    It asks a name server of RocketMQ, too, which is there while a test runs one.
    """
    home = tmp_path_factory.mktemp("controller")
    prefix = f"controller-{uuid.uuid4().hex[:8]}."
    servers = kafka.bootstrap_servers
    pages = {f"controller.{name}_port": choose_port(0) for name in ("ui", "http")}
    settings = {**pages, "routes.name_servers": f"127.0.0.1:{choose_port(0)}"}
    settings["redis.url"] = redis_server.url
    with ControllerProcess(home, servers, prefix, **settings) as controller:
        request.config.stash[_AT_WORK] = controller
        yield controller
        assert controller.stop() == 0, controller.log.read_text()
    assert "Traceback" not in controller.log.read_text()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """End it after the last test of its unit; without units others may follow at any time."""
    at_work = item.config.stash.get(_AT_WORK, None)
    if at_work is None or not at_work.is_running or not hasattr(item.config, "workerinput"):
        return
    if nextitem is None or _unit(nextitem) != _unit(item):
        at_work.stop()


def _unit(item: pytest.Item) -> str | None:
    return SHARED.get(file_of(item.nodeid))
