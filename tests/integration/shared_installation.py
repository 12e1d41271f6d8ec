"""The Kafka, the Redis and the controller that tests of several processes share.

One that has nothing to do takes a fifth of two cores. So where tests are dealt out in units
(``sharing``), it ends with the last test of those that share it, and not with the session; and the
two units that do are at work at a time, each in a process of its own. Its one rule: only the tests
of these units have it.
"""

import json
import os
import signal
import uuid
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from chaos.fleet import MEMBERS
from chaos.lines import Lines
from console.embedded.broker import EmbeddedKafka
from console.embedded.ports import choose_port, choose_ports
from tests.builders.redis_server import RedisServer
from tests.builders.sharing import is_shared
from tests.builders.used_together import UsedTogether
from tests.integration.controller_process import ControllerProcess
from tests.integration.rocketmq_server import PlainServer

RACK: Final = "east"
"""Where its broker stands."""
INSTALLATION: Final = pytest.StashKey["SharedInstallation"]()


@dataclass(frozen=True)
class _Told:
    """What other processes have to know of one that runs."""

    home: str
    """Of its processes."""
    lines: tuple[int, ...]
    """Ports of ways to its broker (``Lines``)."""
    redis: str
    redis_pid: int
    prefix: str
    settings: Mapping[str, object]
    pid: int


class SharedInstallation:
    """The installation, started by whichever process first has a test for it.

    Args:
        folder: Of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._use = UsedTogether(folder)
        self._stack = ExitStack()
        self._told: _Told | None = None
        self._kafka: EmbeddedKafka | None = None
        self._controller: ControllerProcess | None = None
        self.before_leaving: list[Callable[[], None]] = []
        """What ends with its use."""

    @property
    def kafka(self) -> EmbeddedKafka:
        """Its broker."""
        assert self._kafka is not None
        return self._kafka

    @property
    def controller(self) -> ControllerProcess:
        """Its controller, with Spark's pages on."""
        assert self._controller is not None
        return self._controller

    @property
    def told(self) -> _Told:
        """What there is to know of it."""
        assert self._told is not None
        return self._told

    def begin(self) -> None:
        """Use it, unless that is done already; one that is dead is started anew."""
        if self._told is not None and not (self._use.is_owned() and self.controller.is_running):
            self.leave()
        if self._told is None:
            self._use.begin(self._find, self._start)

    def turn(self, *, alone: bool) -> AbstractContextManager[None]:
        """A test's turn on it."""
        return self._use.turn(alone=alone)

    def leave(self) -> None:
        """Use it no more, until the next `begin`; it may end."""
        if self._told is not None:
            try:
                for end in self.before_leaving:
                    end()
            finally:
                self._use.leave()
                self._told = None
        self._use.end_if_unused(self._stop)

    def end(self) -> None:
        """The same, and wait until it has ended if it is ours."""
        self.leave()
        self._use.end(self._stop)

    def _find(self, description: str) -> bool:
        told = _Told(**json.loads(description))
        if not self._is_ours(told):
            kafka = EmbeddedKafka(Path(told.home))
            if kafka.instance.running() is None:
                return False
            controller = self._made(told.home, kafka.start(), told.prefix, told.settings)
            if not controller.found(told.pid):
                return False
        self._told = told
        return True

    def _is_ours(self, told: _Told) -> bool:
        """Whether it is what this process has had before, and may have started."""
        before = self._controller
        return before is not None and before.is_running and before.pid == told.pid

    def _start(self) -> str:
        self._stack.close()  # of one whose controller has died
        home = self._folder / uuid.uuid4().hex[:8]
        lines = choose_ports(2 * MEMBERS)
        properties = {**Lines.properties_of(lines), "broker.rack": RACK}
        with ExitStack() as stack:
            kafka = EmbeddedKafka(home, port=0, properties=properties)
            stack.enter_context(kafka)
            redis = stack.enter_context(RedisServer(home))
            prefix = f"controller-{uuid.uuid4().hex[:8]}."
            pages = {f"controller.{name}_port": choose_port(0) for name in ("ui", "http")}
            settings = {
                **pages,
                "redis.url": redis.url,
                # Of a name server that is there while a test runs one.
                "routes.name_servers": f"127.0.0.1:{choose_port(0)}",
            }
            controller = stack.enter_context(self._made(str(home), kafka, prefix, settings))
            self._stack = stack.pop_all()
        self._told = _Told(
            home=str(home),
            lines=tuple(lines),
            redis=redis.url,
            redis_pid=redis.pid,
            prefix=prefix,
            settings=settings,
            pid=controller.pid,
        )
        return json.dumps(asdict(self._told))

    def _stop(self) -> None:
        controller, log = self.controller, self.controller.log
        with self._stack:
            assert controller.stop() == 0, log.read_text()
        assert "Traceback" not in log.read_text()

    def _made(
        self, home: str, kafka: EmbeddedKafka, prefix: str, settings: Mapping[str, object]
    ) -> ControllerProcess:
        place = Path(home) / "controller"
        self._kafka = kafka
        self._controller = ControllerProcess(place, kafka.bootstrap_servers, prefix, **settings)
        return self._controller


class SharedRedis(NamedTuple):
    """The Redis that it writes to."""

    url: str
    pid: int

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


@pytest.fixture(scope="session")
def several(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedInstallation]:
    """The installation of all processes of this run, which need not be there yet."""
    folder = tmp_path_factory.getbasetemp()
    several = hasattr(request.config, "workerinput")  # each has a folder in one of the run
    installation = SharedInstallation((folder.parent if several else folder) / "shared")
    request.config.stash[INSTALLATION] = installation
    yield installation
    installation.leave()


@pytest.fixture(name="installation")
def used_installation(
    request: pytest.FixtureRequest, several: SharedInstallation
) -> Iterator[SharedInstallation]:
    """The installation at work; marked `alone`, a test is the only one on it."""
    several.begin()
    with several.turn(alone=request.node.get_closest_marker("alone") is not None):
        yield several


@pytest.fixture(name="controller")
def used_controller(installation: SharedInstallation) -> ControllerProcess:
    """The controller that tests share; take a group of your own on it."""
    return installation.controller


@pytest.fixture(name="redis_server")
def used_redis_server(installation: SharedInstallation) -> SharedRedis:
    """The Redis of that controller."""
    return SharedRedis(installation.told.redis, installation.told.redis_pid)


@pytest.fixture(name="lines")
def used_lines(installation: SharedInstallation) -> Iterator[Lines]:
    """Ways to its broker that can be cut and held up, for as many members."""
    with Lines(installation.told.lines) as lines:
        yield lines


@pytest.fixture(scope="session")
def plain_server(
    several: SharedInstallation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PlainServer]:
    """The RocketMQ of all tests that want nothing special of it."""
    server = PlainServer(tmp_path_factory.mktemp("rocketmq"))
    several.before_leaving.append(server.end)
    yield server
    server.end()


@pytest.fixture(name="names")
def free_names(controller: ControllerProcess, plain_server: PlainServer) -> str:
    """Where the controller asks for RocketMQ's routes, for a test that has a name server there."""
    plain_server.end()
    (names,) = controller.name_servers
    return names


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """Leave it after the last test for it; without units others may follow at any time."""
    try:
        yield
    finally:
        installation = item.config.stash.get(INSTALLATION, None)
        in_units = hasattr(item.config, "workerinput")
        if installation and in_units and not (nextitem and is_shared(nextitem.nodeid)):
            installation.leave()
