"""A member with its threads: callbacks and trouble."""

import re
import threading
import time

import pytest

from tests.builders.application import ONE, WAIT_S, Application, records, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, MINE, a_release, queue
from trimtab import (
    CallbackError,
    Grant,
    Member,
    ReplacedError,
    TransportError,
    UndecodableRecord,
)
from trimtab.protocol import ASSIGNMENTS, RELEASES, Beat, Leave, ReleaseRef, member_key


def test_it_gets_its_share(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """What is assigned is told, and valid from then on."""
    kafka.assign(1, hold=[(0, 1)])
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
    kafka.assign(1, hold=[(0, 1), (1, 1)])
    kafka.assign(2, give=[(0, 1), (1, 1)])
    until(lambda: releases(kafka))

    rows = [ReleaseRef(*queue(), 1, 42), ReleaseRef(*queue(1), 1, None)]
    assert [rows] == [list(release.queues) for release in releases(kafka)]


def test_an_heir_begins_where_the_owner_stopped(member: Member, kafka: MemoryTransport) -> None:
    """The release of another member starts the queue, with its position."""
    kafka.assign(2, inherit=[(0, 2, "a", 1)])
    kafka.release(a_release("a", (0, 1, 42, 2)))
    member.wait_until(lambda it: it.assignment, WAIT_S)

    assert (Grant(queue(), 2, 42),) == member.assignment


def test_an_heir_knows_what_may_come(member: Member, kafka: MemoryTransport) -> None:
    """So what reads queues can be ready for them; what has come is not to come any more."""
    kafka.assign(2, hold=[(1, 1)], inherit=[(0, 2, "a", 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    before = member.owned(()).promised
    kafka.release(a_release("a", (0, 1, 42, 2)))
    member.wait_until(lambda it: len(it.assignment) == 2, WAIT_S)

    assert ((queue(0),), ()) == (before, member.owned(()).promised)


@pytest.mark.slow
def test_a_slow_callback_delays_no_heartbeat(kafka: MemoryTransport) -> None:
    """Beats go on while the application takes its time."""
    let_go = threading.Event()

    def wait(_: tuple[Grant, ...]) -> None:
        let_go.wait(WAIT_S)

    with Member(
        group=GROUP, topics=["orders"], transport=kafka, session_timeout="3s", on_revoked=wait
    ) as member:
        kafka.assign(1, hold=[(0, 1)])
        kafka.assign(2, give=[(0, 1)])
        member.wait_until(lambda _: len(records(kafka, Beat)) > 2, WAIT_S)

        assert [] == releases(kafka)
        let_go.set()
        until(lambda: releases(kafka))


def test_it_skips_what_it_cannot_read_and_what_is_not_for_it(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """One bad record is reported, and the next one is obeyed."""
    kafka.publish(ASSIGNMENTS.name, member_key(GROUP, "m"), b"garbage")
    kafka.publish(ASSIGNMENTS.name, member_key(GROUP, "other"), b"not our business")
    kafka.publish(RELEASES.name, b"other group", b"not our business")
    kafka.publish(RELEASES.name, GROUP.encode(), b"[]")
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    until(lambda: len(application.heard) == 3)

    errors = application.told("error")
    assert ["garbage", "not_object"] == [
        e.reason for e in errors if isinstance(e, UndecodableRecord)
    ]


@pytest.mark.usefixtures("member")
def test_a_tombstone_loses_everything_and_joins_anew(
    kafka: MemoryTransport, application: Application
) -> None:
    """The controller does not know the member any more."""
    kafka.assign(1, hold=[(0, 1)])
    until(lambda: application.told("assigned"))  # or its loss is not told, either
    kafka.publish(ASSIGNMENTS.name, member_key(GROUP, "m"), None)
    until(lambda: application.told("lost"))
    first = kafka.joins[0].incarnation
    until(lambda: kafka.joins[-1].incarnation > first)

    assert [(ONE,)] == application.told("lost")


@pytest.mark.slow
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


class Gate:
    """Kafka's answer to whoever connects, held up until it is let through."""

    def __init__(self, kafka: MemoryTransport) -> None:
        self.asked, self.opened = threading.Event(), threading.Event()
        self._connect = kafka.open
        kafka.open = self._held_up  # type: ignore[method-assign]  # a slow one

    def _held_up(self, group: str) -> None:
        self.asked.set()
        assert self.opened.wait(WAIT_S)
        self._connect(group)


def test_what_is_stopped_while_it_connects_never_joins(kafka: MemoryTransport) -> None:
    """Kafka's answer is on its way when it is told to."""
    gate, member = Gate(kafka), Member(group=GROUP, topics=["orders"], transport=kafka)
    member.start()
    assert gate.asked.wait(WAIT_S)
    member.leave()
    gate.opened.set()

    assert member.stop()
    assert ("ended", [], True) == (member.state, kafka.sent, kafka.closed)


@pytest.mark.slow
def test_what_fails_before_it_is_connected_never_joins(kafka: MemoryTransport) -> None:
    """A callback of its own raises at the first trouble; then Kafka is there."""
    kafka.reachable = False

    def complain(_: Exception) -> None:
        kafka.reachable = True
        raise ValueError("what now?")

    member = Member(group=GROUP, topics=["orders"], transport=kafka, on_error=complain)
    member.start()
    until(lambda: kafka.closed)

    assert ("failed", []) == (member.state, kafka.sent)
    assert member.stop()


@pytest.mark.slow
def test_a_member_that_joins_again_and_again_says_why(
    kafka: MemoryTransport, caplog: pytest.LogCaptureFixture
) -> None:
    """In its log and to the application: what failed, since when, and how often."""
    with Member(group=GROUP, topics=["orders"], transport=kafka, session_timeout="500ms") as member:
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, WAIT_S)
        kafka.reachable = False
        until(lambda: "the member joins again, 2 times in " in caplog.text)
        kafka.reachable = True

    first = next(it for it in caplog.messages if "joins again" in it)
    assert re.match(r"no heartbeat has reached Kafka for \d+\.\d s \(last trouble, ", first)
    assert "ago: nobody is there): the member joins again" in first


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
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, WAIT_S)
        kafka.reachable = False
        member.wait_until(lambda it: it.state == "joining", WAIT_S)
        until(lambda: lost)

        assert () == member.assignment
        kafka.reachable = True


class LateReader(MemoryTransport):
    """It has always only reached what the log was when it was asked first."""

    def __init__(self) -> None:
        super().__init__()
        self.asked_first: int | None = None

    def find_end(self, at: int) -> None:
        """That again."""
        self.asked_first = self.asked_first or at
        super().find_end(self.asked_first)


def test_a_member_that_reads_what_was_long_ago_begins_anew() -> None:
    """The log is as old to it as the question whose answer it has."""
    kafka = LateReader()
    with Member(group=GROUP, topics=["orders"], transport=kafka, session_timeout="500ms"):
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: len({join.incarnation for join in kafka.joins}) > 1)


def test_a_failing_callback_ends_the_member(
    kafka: MemoryTransport, application: Application
) -> None:
    """Nobody knows what such an application works on, so no leave is sent either."""

    def fail(_: tuple[Grant, ...]) -> None:
        raise ZeroDivisionError

    member = Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=fail,
        on_lost=application.on_lost,
        on_error=application.on_error,
    )
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    with pytest.raises(CallbackError) as failure:
        member.wait_until(lambda it: it.state == "ended", WAIT_S)

    assert isinstance(failure.value.__cause__, ZeroDivisionError)
    assert failure.value is member.failure
    assert not member.stop()
    assert "failed" == member.state
    assert [(ONE,)] == application.told("lost")
    assert [member.failure] == application.told("error")
    assert [] == records(kafka, Leave)


def test_a_younger_process_takes_over(kafka: MemoryTransport, application: Application) -> None:
    """The member gives up instead of fighting for its name."""
    member = Member(
        group=GROUP,
        topics=["orders"],
        member_id="m",
        transport=kafka,
        on_assigned=application.on_assigned,
        on_lost=application.on_lost,
    )
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    until(lambda: application.told("assigned"))  # or its loss is not told, either
    kafka.sent.append(kafka.joins[-1].model_copy(update={"incarnation": "9" * 13 + MINE[13:]}))
    kafka.assign(2, hold=[(0, 2)])
    until(lambda: application.told("lost"))

    assert isinstance(member.failure, ReplacedError)
    assert ("failed", ()) == (member.state, member.assignment)
