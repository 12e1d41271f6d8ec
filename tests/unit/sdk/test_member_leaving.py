"""A member that leaves: with heirs, without, from a callback; and waiting for it."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.builders.application import ONE, WAIT_S, Application, records, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import (
    ConfigurationError,
    Grant,
    Member,
)
from trimtab.protocol import Leave, Release
from trimtab.transports.contract import Event


def test_leaving_waits_for_the_heirs(member: Member, kafka: MemoryTransport) -> None:
    """The member works on until it is told to give, and leaves when all is released."""
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    member.leave()
    while_leaving = member.state, member.assignment
    kafka.assign(2, give=[(0, 1)])
    in_order = member.stop()

    assert ("draining", (ONE,)) == while_leaving
    assert (True, "ended", ()) == (in_order, member.state, member.assignment)
    assert [1, 1] == [len(releases(kafka)), len(records(kafka, Leave))]
    assert kafka.closed


def test_leaving_with_heirs_waits_for_nobody(member: Member, kafka: MemoryTransport) -> None:
    """Each queue goes to who was said to come next, whether the controller is there or not."""
    kafka.assign(1, hold=[(0, 1, 2)])
    member.wait_until(lambda it: it.assignment, WAIT_S)

    assert member.stop()
    assert [2] == [row.next for it in records(kafka, Release) for row in it.queues]


def test_leaving_does_not_wait_for_what_is_read() -> None:
    """The thread that reads is only waited for at the end: heirs need not wait for it."""

    class Slow(MemoryTransport):
        polled, may_return = threading.Event(), threading.Event()

        def poll(self, timeout_ms: int) -> list[Event]:
            if self.joins and not self._events:
                self.polled.set()
                self.may_return.wait(2 * WAIT_S)
            return super().poll(timeout_ms)

    kafka = Slow()
    member = Member(group=GROUP, topics=["orders"], transport=kafka)
    with member:
        assert kafka.polled.wait(WAIT_S)
        leaving = threading.Thread(target=member.stop)
        leaving.start()
        try:
            until(lambda: records(kafka, Leave))
        finally:
            kafka.may_return.set()
        leaving.join(WAIT_S)

    assert kafka.closed


def test_leaving_without_heirs_is_bounded(
    member: Member, kafka: MemoryTransport, application: Application
) -> None:
    """When the time is up the application is told to stop, and the member leaves."""
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)

    assert member.stop("50ms")
    assert [(ONE,)] == application.told("revoked")


def test_a_static_member_may_leave_for_a_while(
    kafka: MemoryTransport, application: Application
) -> None:
    """It finishes, says that it will be back, and names nobody who comes next."""
    member = Member(
        group=GROUP,
        topics=["orders"],
        instance="billing-0",
        transport=kafka,
        on_assigned=application.on_assigned,
        on_revoked=application.on_revoked,
    )
    with member:
        kafka.assign(1, hold=[(0, 1, 2)])
        member.wait_until(lambda it: it.assignment, WAIT_S)
        assert member.stop(temporary=True)

    assert [(ONE,)] == application.told("revoked")
    assert [True] == [leave.temporary for leave in records(kafka, Leave)]
    assert [None] == [row.next for it in records(kafka, Release) for row in it.queues]


def test_only_a_static_member_may_leave_for_a_while(member: Member) -> None:
    """Another would never be recognised."""
    with pytest.raises(ConfigurationError, match=r"^temporary: only a member with an instance"):
        member.stop(temporary=True)


def test_a_callback_may_leave(kafka: MemoryTransport) -> None:
    """It does not wait for itself."""
    members: list[Member] = []
    answers: list[bool] = []

    def leave(_: tuple[Grant, ...]) -> None:
        answers.append(members[0].stop("0s"))

    member = Member(group=GROUP, topics=["orders"], transport=kafka, on_assigned=leave)
    members.append(member)
    with member:
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.state == "ended", WAIT_S)

    assert ([False], None) == (answers, member.failure)


def test_waiting_has_an_end(member: Member) -> None:
    """And says what it waited for."""
    with pytest.raises(TimeoutError, match=r'member "m" is .* after 0.02 s'):
        member.wait_until(lambda it: it.assignment, "20ms")


def test_waiting_ends_with_the_member(member: Member) -> None:
    """Nothing more comes true of it; whoever waits with a thread is let go of."""
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(member.wait_until, lambda it: it.assignment, "1h")
        member.stop("0s")
        with pytest.raises(TimeoutError, match=r'member "m" is ended after '):
            waiting.result(WAIT_S)


def test_a_condition_that_takes_long_delays_nothing(member: Member, kafka: MemoryTransport) -> None:
    """It is the application's, and the member's threads work on meanwhile."""
    with ThreadPoolExecutor(1) as pool:
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: pool.submit(lambda: it.assignment).result(WAIT_S), WAIT_S)


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
