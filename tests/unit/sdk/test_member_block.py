"""The block of a member: how it ends, with and without an error."""

import asyncio
import threading
import time
from typing import Self

import pytest

from tests.builders.application import ONE, WAIT_S, Application, records, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, queue
from trimtab import CallbackError, Grant, Member
from trimtab.aio import Member as AsyncMember
from trimtab.protocol import Leave, Release
from trimtab.transports.contract import Event

AT_ONCE_S = 5.0
"""Far more than it takes; far less than a member waits for its heirs."""


class Stopwatch:
    """Says that a block took no time to speak of."""

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        assert time.monotonic() - self._began < AT_ONCE_S


def a_member(kafka: MemoryTransport, application: Application) -> Member:
    """A member."""
    return Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=application.on_assigned,
        on_revoked=application.on_revoked,
        on_lost=application.on_lost,
    )


def released(kafka: MemoryTransport) -> list[tuple[object, ...]]:
    """What was handed over, and where."""
    return [tuple(row) for record in records(kafka, Release) for row in record.queues]


def fail_in_the_block(member: Member, kafka: MemoryTransport, *, leaving: bool = False) -> None:
    """Get a queue, and raise."""
    with member:
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, WAIT_S)
        if leaving:
            member.leave()
        raise ZeroDivisionError


def test_an_error_ends_the_block_at_once_and_in_good_order(
    kafka: MemoryTransport, application: Application
) -> None:
    """Everything is released, and the error is raised."""
    member = a_member(kafka, application)
    with Stopwatch(), pytest.raises(ZeroDivisionError):
        fail_in_the_block(member, kafka)

    assert [(*queue(), 1, None, None, None)] == released(kafka)
    assert [1] == [len(records(kafka, Leave))]
    assert [(ONE,)] == application.told("revoked")
    assert member.failure is None


def test_an_error_while_it_waits_for_heirs_ends_that_too(
    kafka: MemoryTransport, application: Application
) -> None:
    """As when SIGTERM told it to leave, and the next message fails."""
    with Stopwatch(), pytest.raises(ZeroDivisionError):
        fail_in_the_block(a_member(kafka, application), kafka, leaving=True)

    assert 1 == len(released(kafka))


def fail(grants: tuple[Grant, ...]) -> None:
    """A callback that cannot begin."""
    raise LookupError(grants)


def end_after_a_failure(member: Member, kafka: MemoryTransport, error: Exception | None) -> None:
    """Let the member fail, and end the block."""
    with member:
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: member.failure)
        if error is not None:
            raise error


@pytest.mark.parametrize(
    ("error", "raised"), [(None, CallbackError), (ZeroDivisionError(), ZeroDivisionError)]
)
def test_a_failure_that_nothing_tells_of_is_raised(
    kafka: MemoryTransport,
    error: Exception | None,
    raised: type[Exception],
) -> None:
    """A process whose member has failed does not end well; an error of its own comes first."""
    member = Member(group=GROUP, topics=["orders"], transport=kafka, on_assigned=fail)
    with pytest.raises(raised):
        end_after_a_failure(member, kafka, error)


def test_whoever_asks_what_is_owned_need_not_wait_for_the_members_thread(
    kafka: MemoryTransport, application: Application
) -> None:
    """After a freeze any thread may run first; the one that commits looks at the time itself."""
    thawed = threading.Event()
    member = Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        session_timeout="500ms",
        on_lost=application.on_lost,
    )
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    before = member.owned([ONE, Grant(queue(), 2)])
    poll = kafka.poll

    def frozen(timeout_ms: int) -> list[Event]:
        thawed.wait(WAIT_S)
        return poll(timeout_ms)

    kafka.poll = frozen  # type: ignore[method-assign]  # the member's thread stands still
    until(lambda: not member.owned([ONE]).grants)
    thawed.set()
    until(lambda: application.told("lost"))
    member.stop("0s")

    assert (frozenset({ONE}), True) == (before.grants, before.until > 0)
    assert [] == releases(kafka)


async def play(kafka: MemoryTransport) -> None:
    """Fail in the block."""
    async with AsyncMember(group=GROUP, topics=["orders"], transport=kafka) as member:
        await asyncio.to_thread(kafka.assign, 1, hold=[(0, 1)])
        await member.wait_until(lambda it: it.assignment, "5s")
        raise ZeroDivisionError


def test_an_error_ends_an_asynchronous_block_at_once_too(kafka: MemoryTransport) -> None:
    """In good order."""
    with Stopwatch(), pytest.raises(ZeroDivisionError):
        asyncio.run(play(kafka))

    assert [(*queue(), 1, None, None, None)] == released(kafka)
