"""A member with its threads: callbacks, trouble, waiting and leaving."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from tests.unit.sdk.builders import GROUP, MINE, a_release, queue
from tests.unit.sdk.memory import MemoryTransport
from trimtab import (
    CallbackError,
    Grant,
    Member,
    MemberFailedError,
    QueueRef,
    ReplacedError,
    TransportError,
    UndecodableRecord,
)
from trimtab.protocol import ASSIGNMENTS, RELEASES, Beat, Leave, Record, Release, member_key
from trimtab.transports.contract import Event

R = TypeVar("R", bound=Record)
ONE = Grant(queue(), 1)
WAIT_S = 5.0
"""Far longer than anything here takes; a test that needs it has failed."""


class Application:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, object]] = []
        self.positions: dict[QueueRef, int | None] | None = None

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Start."""
        self.heard.append(("assigned", grants))

    def on_revoked(self, grants: tuple[Grant, ...]) -> dict[QueueRef, int | None] | None:
        """Stop."""
        self.heard.append(("revoked", grants))
        return self.positions

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Drop."""
        self.heard.append(("lost", grants))

    def on_error(self, error: Exception) -> None:
        """Take note."""
        self.heard.append(("error", error))

    def told(self, what: str) -> list[object]:
        """What it was told of one kind."""
        return [news for kind, news in self.heard if kind == what]


def until(condition: Callable[[], object]) -> None:
    """Wait for what another thread does."""
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def records(transport: MemoryTransport, kind: type[R]) -> list[R]:
    """The records of one kind that were sent."""
    return [record for record in transport.sent if isinstance(record, kind)]


@pytest.fixture
def kafka() -> MemoryTransport:
    """A Kafka."""
    return MemoryTransport()


@pytest.fixture
def application() -> Application:
    """An application."""
    return Application()


@pytest.fixture
def member(kafka: MemoryTransport, application: Application) -> Iterator[Member]:
    """A member of the application, left behind in order."""
    with Member(
        group=GROUP,
        topics=["orders"],
        member_id="m",
        transport=kafka,
        session_timeout="2s",
        on_assigned=application.on_assigned,
        on_revoked=application.on_revoked,
        on_lost=application.on_lost,
        on_error=application.on_error,
    ) as member:
        yield member
        member.stop("0s")


def test_it_gets_its_share(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """What is assigned is told, and valid from then on."""
    kafka.order(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    until(lambda: application.heard)

    assert [("assigned", (ONE,))] == application.heard
    assert ("joined", (ONE,), True) == (member.state, member.assignment, member.holds(ONE))
    assert not member.holds(Grant(queue(), 2))


@pytest.mark.usefixtures("member")
def test_it_releases_where_the_application_stopped(
    kafka: MemoryTransport, application: Application
) -> None:
    """The positions that `on_revoked` returns travel in the release."""
    application.positions = {queue(): 42}
    kafka.order(1, hold=[(0, 1), (1, 1)])
    kafka.order(2, give=[(0, 1), (1, 1)])
    until(lambda: records(kafka, Release))

    rows = [(*queue(), 1, 42), (*queue(1), 1, None)]
    assert [rows] == [list(release.queues) for release in records(kafka, Release)]


def test_an_heir_begins_where_the_owner_stopped(member: Member, kafka: MemoryTransport) -> None:
    """The release of another member starts the queue, with its position."""
    kafka.order(2, inherit=[(0, 2, "a", 1)])
    kafka.release(a_release("a", (0, 1, 42)))
    member.wait_until(lambda it: it.assignment, WAIT_S)

    assert (Grant(queue(), 2, 42),) == member.assignment


def test_a_slow_callback_keeps_no_heartbeat_up(kafka: MemoryTransport) -> None:
    """Beats go on while the application takes its time."""
    let_go = threading.Event()

    def wait(_: tuple[Grant, ...]) -> None:
        let_go.wait(WAIT_S)

    with Member(
        group=GROUP, topics=["orders"], transport=kafka, session_timeout="300ms", on_revoked=wait
    ) as member:
        kafka.order(1, hold=[(0, 1)])
        kafka.order(2, give=[(0, 1)])
        member.wait_until(lambda _: len(records(kafka, Beat)) > 5, WAIT_S)

        assert [] == records(kafka, Release)
        let_go.set()
        until(lambda: records(kafka, Release))


def test_it_skips_what_it_cannot_read_and_what_is_not_for_it(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """One bad record is reported, and the next one is obeyed."""
    kafka.publish(ASSIGNMENTS.name, member_key(GROUP, "m"), b"garbage")
    kafka.publish(ASSIGNMENTS.name, member_key(GROUP, "other"), b"not our business")
    kafka.publish(RELEASES.name, b"other group", b"not our business")
    kafka.publish(RELEASES.name, GROUP.encode(), b"[garbage")
    kafka.order(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    until(lambda: len(application.heard) == 3)

    errors = application.told("error")
    assert ["garbage", "garbage"] == [e.reason for e in errors if isinstance(e, UndecodableRecord)]


def test_a_tombstone_loses_everything_and_joins_anew(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """The controller does not know the member any more."""
    kafka.order(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    kafka.publish(ASSIGNMENTS.name, member_key(GROUP, "m"), None)
    until(lambda: application.told("lost"))

    first, second = kafka.joins
    assert [(ONE,)] == application.told("lost")
    assert first.incarnation < second.incarnation


def test_kafka_may_be_away_at_first(kafka: MemoryTransport) -> None:
    """Starting does not wait for it; the member says what it is waiting for, once."""
    kafka.reachable = False
    errors: list[Exception] = []
    with Member(group=GROUP, topics=["orders"], transport=kafka, on_error=errors.append) as member:
        until(lambda: errors)
        state = member.state
        kafka.reachable = True
        member.wait_until(lambda it: it.state == "joining", WAIT_S)

    assert ("connecting", 1) == (state, len(errors))
    assert isinstance(errors[0], TransportError)


def test_it_can_be_left_before_kafka_is_there(kafka: MemoryTransport) -> None:
    """There is nothing to hand over."""
    kafka.reachable = False
    member = Member(group=GROUP, topics=["orders"], transport=kafka)
    member.start()

    assert member.stop()
    assert ("ended", True) == (member.state, kafka.closed)


def test_a_member_that_cannot_be_heard_loses_everything(kafka: MemoryTransport) -> None:
    """In four fifths of its session."""
    lost: list[float] = []
    with Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        session_timeout="500ms",
        on_lost=lambda _: lost.append(time.monotonic()),
    ) as member:
        kafka.order(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, WAIT_S)
        kafka.reachable = False
        member.wait_until(lambda it: it.state == "joining", WAIT_S)
        until(lambda: lost)

        assert () == member.assignment
        kafka.reachable = True


def test_a_failing_callback_ends_the_member(
    kafka: MemoryTransport, application: Application
) -> None:
    """Nobody knows what such an application works on, so no leave is sent either."""

    def fail(_: tuple[Grant, ...]) -> None:
        raise ZeroDivisionError

    with Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=fail,
        on_lost=application.on_lost,
        on_error=application.on_error,
    ) as member:
        kafka.order(1, hold=[(0, 1)])
        with pytest.raises(CallbackError) as failure:
            member.wait_until(lambda it: it.state == "ended", WAIT_S)

        assert isinstance(failure.value.__cause__, ZeroDivisionError)
        assert failure.value is member.failure
        assert not member.stop()
    assert "failed" == member.state
    assert [(ONE,)] == application.told("lost")
    assert [member.failure] == application.told("error")
    assert [] == records(kafka, Leave)


def test_a_younger_process_takes_over(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """The member gives up instead of fighting for its name."""
    kafka.order(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    kafka.sent.append(kafka.joins[-1].model_copy(update={"incarnation": "9" * 13 + MINE[13:]}))
    kafka.order(2, hold=[(0, 2)])
    until(lambda: application.told("lost"))

    assert isinstance(member.failure, ReplacedError)
    assert ("failed", ()) == (member.state, member.assignment)


def test_a_broken_transport_ends_the_member(application: Application) -> None:
    """An exception nobody has thought of is not swallowed."""

    class Broken(MemoryTransport):
        def poll(self, timeout_ms: int) -> list[Event]:
            raise ZeroDivisionError(timeout_ms)

    with Member(
        group=GROUP, topics=["orders"], transport=Broken(), on_error=application.on_error
    ) as member:
        until(lambda: application.heard)

    assert isinstance(member.failure, MemberFailedError)
    assert isinstance(member.failure.__cause__, ZeroDivisionError)


def test_leaving_waits_for_the_heirs(member: Member, kafka: MemoryTransport) -> None:
    """The member works on until it is told to give, and leaves when all is released."""
    kafka.order(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    member.leave()
    while_leaving = member.state, member.assignment
    kafka.order(2, give=[(0, 1)])
    in_order = member.stop()

    assert ("draining", (ONE,)) == while_leaving
    assert (True, "ended", ()) == (in_order, member.state, member.assignment)
    assert [1, 1] == [len(records(kafka, Release)), len(records(kafka, Leave))]
    assert kafka.closed


def test_leaving_without_heirs_is_bounded(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """When the time is up the application is told to stop, and the member leaves."""
    kafka.order(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)

    assert member.stop("50ms")
    assert [(ONE,)] == application.told("revoked")


def test_a_callback_may_leave(kafka: MemoryTransport) -> None:
    """It does not wait for itself."""
    members: list[Member] = []
    answers: list[bool] = []

    def leave(_: tuple[Grant, ...]) -> None:
        answers.append(members[0].stop("0s"))

    member = Member(group=GROUP, topics=["orders"], transport=kafka, on_assigned=leave)
    members.append(member)
    with member:
        kafka.order(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.state == "ended", WAIT_S)

    assert ([False], None) == (answers, member.failure)


def test_waiting_has_an_end(member: Member) -> None:
    """And says what it waited for."""
    with pytest.raises(TimeoutError, match=r'member "m" is .* after 0.02 s'):
        member.wait_until(lambda it: it.assignment, "20ms")


def test_making_a_member_starts_nothing(kafka: MemoryTransport) -> None:
    """And a member that was never started can be left."""
    before = threading.active_count()
    member = Member(group=GROUP, topics=["orders"], transport=kafka)

    assert (before, "connecting", ()) == (
        threading.active_count(),
        member.state,
        member.assignment,
    )
    assert member.stop()
