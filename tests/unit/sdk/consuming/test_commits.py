"""Commits to a Kafka that takes connections and never answers: each of them ends."""

import gc
import socket
import threading
import time
import warnings
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.builders.application import until
from tests.builders.sessions import GROUP, queue
from trimtab import Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.assembly import assemble, writer_of
from trimtab.consuming.choice import Told, read_options
from trimtab.consuming.commits import Commits, Places
from trimtab.consuming.contract import RefusedError, Wish
from trimtab.consuming.kafka_python_writer import KafkaPythonWriter
from trimtab.session import Profile
from trimtab.transports import Client as Library

pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `library`
]

BOUND_S = 8.0
"""The promise is six seconds."""
SOON_S, PATIENCE_S = 10.0, 30.0
"""Far less than the patience with one commit, which a test may have longer than it is: so that a
pause of the machine is no sign of anything."""
ONE, OTHER = Grant(queue(0), 1, position=7), Grant(queue(1), 1, position=7)


@pytest.fixture(params=["confluent", "kafka-python"])
def library(request: pytest.FixtureRequest) -> Iterator[Library]:
    """The client that commits. That of kafka-python 3.0 leaves sockets behind when it is closed."""
    yield request.param
    until(lambda: not [it for it in threading.enumerate() if it.name.startswith("trimtab-")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def servers() -> Iterator[str]:
    """A Kafka that hangs."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


class Owner:
    """Says what is owned, and hears what was written."""

    def __init__(self) -> None:
        self.lost: set[Grant] = set()
        self.written: list[Places] = []
        self.asked = 0

    def owned(self, grants: Collection[Grant]) -> Ownership:
        """Answer as a member would."""
        self.asked += 1
        return Ownership(frozenset(grants) - self.lost, 0.0, "0-life")


@pytest.fixture
def owner() -> Owner:
    """An owner."""
    return Owner()


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of the patience with a commit: what is promised is three times as long."""
    monkeypatch.setattr("trimtab.consuming.commits.PATIENCE_S", 0.5)


@pytest.fixture
def commits(library: Library, servers: str, owner: Owner) -> Iterator[Commits]:
    """What commits for the owner."""
    writer = writer_of(library, Wish(servers, GROUP, quiet(library), {}, PATIENCE_S))
    commits = Commits(writer, owner.owned, owner.written.append)
    yield commits
    commits.close()


def quiet(library: Library) -> dict[str, object]:
    """The options of a client that logs nothing."""
    return {"log_level": 0} if library == "confluent" else {}


def takes(action: Callable[[], object], said: str = "_TIMED_OUT|no answer") -> float:
    """How long it takes to fail."""
    began = time.monotonic()
    with pytest.raises(RefusedError, match=said):
        action()
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_a_commit_ends(commits: Commits, owner: Owner) -> None:
    """Also when there is another one before it."""
    commits.write_soon(lambda: {ONE: 7})

    assert takes(lambda: commits.write(lambda: {ONE: 8})) < BOUND_S
    assert [] == owner.written


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_many_that_wait_end_at_the_same_time(commits: Commits) -> None:
    """Each for itself, and not one after the other."""
    took: list[float] = []
    threads = [
        threading.Thread(target=lambda: took.append(takes(lambda: commits.write(lambda: {ONE: 7}))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 8 == len(took)
    assert max(took) < BOUND_S


@pytest.mark.slow
def test_a_commit_of_what_is_lost_is_taken_back(
    commits: Commits, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At once: others may commit already."""
    monkeypatch.setattr("trimtab.consuming.commits.PATIENCE_S", PATIENCE_S)
    losing = threading.Timer(0.2, owner.lost.add, [ONE])
    losing.start()

    assert takes(lambda: commits.write(lambda: {ONE: 7, OTHER: 7}), "are others' now") < SOON_S


def test_what_is_lost_is_taken_back_though_a_callback_hangs(owner: Owner) -> None:
    """Nobody says so then, and Kafka would take the commit late."""
    dropped = list[bool]()
    writer = SimpleNamespace(write=lambda _: Future[object](), drop=lambda: dropped.append(True))
    commits = Commits(cast("Any", writer), owner.owned, owner.written.append)
    commits.write_soon(lambda: {ONE: 7, OTHER: 7})
    commits.take_back()
    assert [] == dropped

    owner.lost = {OTHER}
    commits.take_back()
    assert ([True], []) == (dropped, owner.written)


def test_what_is_lost_takes_back_no_commit_of_others(owner: Owner) -> None:
    """Kafka's answer to that is on its way, and is waited for."""
    answer, dropped = Future[object](), list[bool]()
    writer = SimpleNamespace(
        write=lambda _: answer, drop=lambda: dropped.append(True), check=lambda it: it.result()
    )
    commits = Commits(cast("Any", writer), owner.owned, owner.written.append)
    commits.write_soon(lambda: {ONE: 7})
    commits.withdraw([OTHER])
    answer.set_result(None)
    commits.hear()

    assert ([], [{ONE: 7}]) == (dropped, owner.written)


def test_a_commit_that_fails_in_any_way_is_followed_by_another_one(owner: Owner) -> None:
    """kafka-python's client raises what its network does."""
    answers = [Future[dict[str, Any]](), Future[dict[str, Any]]()]
    answers[0].set_exception(OSError(28, "no space left on device"))
    answers[1].set_result({})
    writer = KafkaPythonWriter(Wish("nowhere:1", GROUP, {}, {}, 2.0))
    client = SimpleNamespace(
        ask=lambda _: answers.pop(0),
        answer=writer._client.answer,  # noqa: SLF001 - the rest would connect
        drop=bool,
    )
    vars(writer)["_client"] = client
    commits = Commits(writer, owner.owned, owner.written.append)
    with pytest.raises(RefusedError, match="no space"):
        commits.write(lambda: {ONE: 7})
    commits.write(lambda: {ONE: 8})

    assert [{ONE: 8}] == owner.written


def test_a_client_that_breaks_is_let_go_of(owner: Owner) -> None:
    """Whatever it raises; else every look after that would raise it again."""
    answer, dropped = Future[object](), list[bool]()
    answer.set_exception(ArithmeticError())
    writer = SimpleNamespace(
        write=lambda _: answer, drop=lambda: dropped.append(True), check=lambda it: it.result()
    )
    commits = Commits(cast("Any", writer), owner.owned, owner.written.append)
    commits.write_soon(lambda: {ONE: 7})
    with pytest.raises(ArithmeticError):
        commits.hear()
    commits.hear()

    assert [True] == dropped


def test_nothing_is_sent_of_what_is_not_owned(commits: Commits, owner: Owner) -> None:
    """And nobody waits for that."""
    owner.lost = {ONE}
    commits.write(lambda: {ONE: 7})

    assert (1, []) == (owner.asked, owner.written)


@pytest.mark.slow
@pytest.mark.usefixtures("brief")
def test_what_is_written_soon_stops_nobody(commits: Commits) -> None:
    """It is given up and told when somebody looks after it, and can be written again."""
    looks: list[int] = []

    def look() -> Places:
        looks.append(1)
        return {ONE: 7}

    commits.write_soon(look)
    commits.write_soon(look)  # the other one is on its way
    commits.hear()
    assert 1 == len(looks)

    def is_told() -> bool:
        try:
            commits.hear()
        except RefusedError:
            return True
        return False

    until(is_told)
    commits.write_soon(look)
    assert 2 == len(looks)


@pytest.mark.slow
def test_a_consumer_ends_what_it_does(library: Library, servers: str) -> None:
    """Polling, committing, handing over and closing, while nobody answers."""
    choice, _ = read_options({"group": GROUP, "commit_interval": "10ms", "client": library})
    told = Told(bool, bool, bool, bool, bool)
    profile = Profile(group=GROUP, member="m", topics=("orders",))
    parts = assemble(profile, Owner().owned, servers, quiet(library), choice, told)
    parts.upkeep.start()
    unknown = Grant(queue(2), 1)
    steps: dict[str, Callable[[], object]] = {
        "assign": lambda: parts.handover.on_assigned((ONE, OTHER, unknown)),
        "poll": lambda: parts.intake.fetch(0.1),
        "revoke": lambda: parts.handover.on_revoked((ONE, unknown)),
        "lose": lambda: parts.handover.on_lost((OTHER,)),
        "close": parts.close,
    }
    took = {}
    for name, step in steps.items():
        began = time.monotonic()
        step()
        took[name] = time.monotonic() - began

    assert [] == [name for name, seconds in took.items() if seconds > BOUND_S], took
