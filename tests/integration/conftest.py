"""What every integration test may ask for: a broker, and names of its own on it.

``kafka`` is one real broker for the whole session, on a free port with its data in a temporary
directory. Tests share it, so none may rely on topics, groups or offsets that another could use:
take ``topics_prefix`` for trimtab's topics, and derive every other topic, group and member name
from it as well. Mark the tests ``@pytest.mark.kafka``.

``controller`` is one controller, on a broker of its own, for all processes that run tests. Its
tests may run at a time, and keep apart by ``group`` and ``topic``; who freezes it, or looks at what
all others do, is marked ``alone``. Mark them ``@pytest.mark.spark`` as well.

    @pytest.mark.kafka
    def test_something(kafka: EmbeddedKafka, topics_prefix: str) -> None:
        admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
"""

import gc
import os
import re
import uuid
import warnings
from collections.abc import Callable, Generator, Iterator
from functools import partial
from pathlib import Path

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.builders.command_line import Run, caller
from tests.builders.sharing import is_shared
from tests.integration.accounts import Account
from tests.integration.controller_process import ControllerProcess, ends_of_logs, forget_ended
from tests.integration.published import Published
from tests.integration.readings import Reading, fill
from tests.integration.secured_callers import ANN, PASSWORD, PREFIX
from tests.integration.secured_callers import PARTITIONS as SECURED_PARTITIONS
from tests.integration.secured_kafka import SecuredKafka
from tests.integration.shared_installation import (  # noqa: F401 - fixtures and a hook
    INSTALLATION,
    RACK,
    SharedInstallation,
    free_names,
    plain_server,
    pytest_runtest_teardown,
    several,
    used_controller,
    used_installation,
    used_lines,
    used_redis_server,
)
from tests.integration.topics import PARTITIONS, create_control_topics, create_topic
from trimtab import Member
from trimtab.transports import Client as Library

SESSION_S = 10
"""Of the members that tests make: no pause of a machine is so long, but a start of Spark is."""

os.environ["SPARK_SUBMIT_OPTS"] = (
    "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC "
    "-XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
"""For every Spark that tests start: the second compiler never pays in a life of a minute, and takes
two fifths of the processor time of a start. Alone the first one would get a fifth of the space that
both have (240 MB); Spark fills that, and then Java compiles nothing more and breaks here and there.
The heap is small, and the collector with one thread takes a fifth less of a start. What the jars
hold was verified by their hashes, so Java does not verify each class: a sixth of a start."""

MakeMember = Callable[[str], Member]
QUEUES = 8  # of the topic of a test's group


@pytest.fixture(scope="session")
def own_kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedKafka]:
    """The broker of this session; its log is named when it fails to start."""
    properties = {"broker.rack": RACK}
    with EmbeddedKafka(tmp_path_factory.mktemp("kafka"), port=0, properties=properties) as broker:
        yield broker


@pytest.fixture
def kafka(request: pytest.FixtureRequest) -> EmbeddedKafka:
    """The broker of the shared controller for the tests that have that, the session's for others.

    Who freezes the one holds up only those who know of it.
    """
    if is_shared(request.node.nodeid):
        shared: SharedInstallation = request.getfixturevalue("installation")
        return shared.kafka
    own: EmbeddedKafka = request.getfixturevalue("own_kafka")
    return own


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    """A broker that asks who one is, with trimtab's topics, one of a user, and a user."""
    with SecuredKafka(tmp_path_factory.mktemp("secured") / "kafka") as broker:
        servers = broker.servers("PLAINTEXT")
        create_control_topics(servers, PREFIX, SECURED_PARTITIONS)
        create_topic(servers, "orders", 2)
        broker.user(ANN, PASSWORD)
        yield broker


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show what the controllers of a test that fails have said."""
    report = yield
    if report.failed:
        report.sections += ends_of_logs()
    return report


def pytest_runtest_logfinish() -> None:
    """Forget controllers that have ended, and collect sockets.

    kafka-python 3.0 now and then leaves some behind when it is closed. Otherwise whatever test runs
    when they are collected fails for them. The log of a test holds on to them until it is over.
    """
    forget_ended()
    sweep()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what others have used as well, outside of any test's time, and collect what is left."""
    if (shared := session.config.stash.get(INSTALLATION, None)) is not None:
        shared.end()
    sweep()


def sweep() -> None:
    """Collect sockets, say nothing of them, and do not look again through what stays."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    gc.freeze()


@pytest.fixture
def topics_prefix(request: pytest.FixtureRequest) -> str:
    """A prefix that only this run of this test uses, ending in a dot, readable in broker logs."""
    test = re.sub(r"[^a-z0-9]+", "-", request.node.name.lower()).strip("-")[:40]
    return f"{test}-{uuid.uuid4().hex[:8]}."


@pytest.fixture
def work(kafka: EmbeddedKafka, topics_prefix: str) -> str:
    """A topic of two partitions, with five messages in each."""
    topic = f"{topics_prefix}work"
    create_topic(kafka.bootstrap_servers, topic, 2)
    fill(kafka.bootstrap_servers, topic)
    return topic


@pytest.fixture(params=["confluent", "kafka-python"])
def library(request: pytest.FixtureRequest) -> Library:
    """The client that reads."""
    chosen: Library = request.param
    return chosen


@pytest.fixture
def reading(kafka: EmbeddedKafka, work: str, library: Library) -> Iterator[Reading]:
    """A consumer without a member."""
    with Reading(kafka.bootstrap_servers, work, library).running() as reading:
        yield reading


@pytest.fixture
def command_line(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """The command line, on our broker and with a prefix of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", topics_prefix)
    monkeypatch.setenv("TRIMTAB_TOPICS__PARTITIONS", str(PARTITIONS))
    return partial(caller(monkeypatch, capsys), "--quiet")


@pytest.fixture
def run(command_line: Run) -> Run:
    """The same, with its topics made."""
    assert 0 == command_line("topics", "init")[0]
    return command_line


@pytest.fixture
def published(kafka: EmbeddedKafka, controller: ControllerProcess) -> Iterator[Published]:
    """What the session's controller has said."""
    published = Published(kafka.bootstrap_servers, controller.prefix)
    yield published
    published.close()


@pytest.fixture
def group(request: pytest.FixtureRequest) -> str:
    """The name of a group that only this run of this test uses."""
    test = re.sub(r"\W+", "-", request.node.name.removeprefix("test_")[:40])
    return f"{test}-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def topic(kafka: EmbeddedKafka, group: str) -> str:
    """A topic of eight queues for that group."""
    name = f"{group}-topic"
    create_topic(kafka.bootstrap_servers, name, QUEUES)
    return name


@pytest.fixture
def account(kafka: EmbeddedKafka, topic: str, tmp_path: Path) -> Iterator[Account]:
    """The account of the test's topic."""
    account = Account(kafka.bootstrap_servers, topic, tmp_path)
    yield account
    account.close()


@pytest.fixture
def lone_member(kafka: EmbeddedKafka, topics_prefix: str, group: str, topic: str) -> MakeMember:
    """Makes a member of the test's group, on a controller of the test's own."""

    def make(name: str) -> Member:
        return Member(
            kafka.bootstrap_servers,
            prefix=topics_prefix,
            group=group,
            topics=[topic],
            member_id=name,
            session_timeout=SESSION_S,
        )

    return make


@pytest.fixture
def arguments(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str
) -> Callable[[str], dict[str, object]]:
    """What a member of the test's group is made with."""

    def named(name: str) -> dict[str, object]:
        return {
            "bootstrap_servers": kafka.bootstrap_servers,
            "prefix": controller.prefix,
            "group": group,
            "topics": [topic],
            "member_id": name,
            "session_timeout": f"{SESSION_S}s",
        }

    return named


@pytest.fixture
def member(arguments: Callable[[str], dict[str, object]]) -> MakeMember:
    """Makes a member of the test's group."""

    def make(name: str) -> Member:
        return Member(**arguments(name))  # type: ignore[arg-type]  # plain JSON, checked by Member

    return make


@pytest.fixture
def terminal(
    kafka: EmbeddedKafka,
    controller: ControllerProcess,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """The command line, where the session's controller is."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", kafka.bootstrap_servers)
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", controller.prefix)
    monkeypatch.setenv("TRIMTAB_TOPICS__PARTITIONS", str(PARTITIONS))
    return caller(monkeypatch, capsys)


@pytest.fixture
def two(published: Published, group: str, member: MakeMember) -> Iterator[None]:
    """A group at rest: b has joined a, and each is the other's heir."""
    with member("a"):
        published.wait_until(lambda: published.is_stable(group, ["a"], QUEUES))
        with member("b"):
            published.wait_until(lambda: published.has_heirs(group, ["a", "b"], QUEUES))
            yield
