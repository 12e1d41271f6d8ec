"""The block of a member: how it ends, with and without an error, with and without a binding."""

import asyncio
import threading
import time
from collections.abc import Collection
from typing import Self

import pytest

from tests.builders.application import ONE, WAIT_S, Application, records, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, queue
from trimtab import CallbackError, Grant, Member, QueueRef
from trimtab.aio import Member as AsyncMember
from trimtab.callbacks import Owned
from trimtab.protocol import Leave, Release
from trimtab.session import Profile
from trimtab.transports.contract import Event

AT_ONCE_S = 5.0
"""Far more than it takes; far less than a member waits for its heirs."""


class Reader:
    """A binding that has a message in hand until it is done, or given back."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int]] = []
        self.position = 7
        self.put_down = threading.Event()
        self.here = True
        self.owned: Owned | None = None

    def attach(self, profile: Profile, owned: Owned) -> None:
        """Follow a member."""
        assert GROUP == profile.group
        self.owned = owned

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Begin."""
        self.told.append(("assigned", len(grants)))

    def on_revoked(self, grants: tuple[Grant, ...]) -> dict[QueueRef, int | None]:
        """Wait for the message in hand."""
        while not self.put_down.wait(0.01):
            if not self._owns(grants):
                return {}
        self.told.append(("revoked", len(grants)))
        return {grant.queue: self.position for grant in grants}

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop."""
        self.told.append(("lost", len(grants)))

    def is_read_here(self) -> bool:
        """As the test says."""
        return self.here

    def give_back(self) -> None:
        """Nobody works on it any more."""
        self.put_down.set()

    def _owns(self, grants: Collection[Grant]) -> bool:
        assert self.owned is not None
        return bool(self.owned(grants))


class Stopwatch:
    """Says that a block took no time to speak of."""

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        assert time.monotonic() - self._began < AT_ONCE_S


def a_member(kafka: MemoryTransport, reader: Reader | None, application: Application) -> Member:
    """A member, with or without a binding."""
    return Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        binding=reader,
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


@pytest.mark.parametrize("reader", [Reader(), None], ids=["bound", "unbound"])
def test_an_error_ends_the_block_at_once_and_in_good_order(
    kafka: MemoryTransport, application: Application, reader: Reader | None
) -> None:
    """What is in hand is given back, everything is released, and the error is raised."""
    member = a_member(kafka, reader, application)
    with Stopwatch(), pytest.raises(ZeroDivisionError):
        fail_in_the_block(member, kafka)

    assert [(*queue(), 1, 7 if reader else None, None, None)] == released(kafka)
    assert [1] == [len(records(kafka, Leave))]
    assert [(ONE,)] == application.told("revoked")
    assert member.failure is None


def test_an_error_while_it_waits_for_heirs_ends_that_too(
    kafka: MemoryTransport, application: Application
) -> None:
    """As when SIGTERM told it to leave, and the next message fails."""
    with Stopwatch(), pytest.raises(ZeroDivisionError):
        fail_in_the_block(a_member(kafka, Reader(), application), kafka, leaving=True)

    assert 1 == len(released(kafka))


def test_whoever_reads_does_not_wait_for_heirs(
    kafka: MemoryTransport, application: Application
) -> None:
    """Nobody reads meanwhile; and what is in hand would wait for ever."""
    with Stopwatch(), a_member(kafka, Reader(), application) as member:
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, WAIT_S)

    assert [(*queue(), 1, 7, None, None)] == released(kafka)


def test_another_thread_reads_on(kafka: MemoryTransport, application: Application) -> None:
    """Then leaving is a hand-over: it waits for heirs, and for what is in hand."""
    reader = Reader()
    reader.here = False
    member = a_member(kafka, reader, application)
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    ending = threading.Thread(target=member.stop)
    ending.start()
    member.wait_until(lambda it: it.state == "draining", WAIT_S)
    before = member.assignment, released(kafka)
    kafka.assign(2, give=[(0, 1)])
    reader.put_down.set()
    ending.join(WAIT_S)

    assert ((ONE,), []) == before
    assert [(*queue(), 1, 7, None, None)] == released(kafka)


class Failing(Reader):
    """A binding that cannot begin."""

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Fail."""
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
    application: Application,
    error: Exception | None,
    raised: type[Exception],
) -> None:
    """A process whose member has failed does not end well; an error of its own comes first."""
    with pytest.raises(raised):
        end_after_a_failure(a_member(kafka, Failing(), application), kafka, error)


def test_a_binding_is_told_of_starts_last_and_of_ends_first(
    kafka: MemoryTransport, application: Application
) -> None:
    """So what the application notes of a queue is around all the work on it."""
    reader = Reader()
    reader.told = application.heard  # type: ignore[assignment]  # one list, to see the order
    with a_member(kafka, reader, application) as member:
        kafka.assign(1, hold=[(0, 1)])
        member.wait_until(lambda it: it.assignment, WAIT_S)

    expected = [("assigned", (ONE,)), ("assigned", 1), ("revoked", 1), ("revoked", (ONE,))]
    assert expected == application.heard


def test_whoever_asks_what_is_owned_need_not_wait_for_the_members_thread(
    kafka: MemoryTransport, application: Application
) -> None:
    """After a freeze any thread may run first; the one that commits looks at the time itself."""
    reader, thawed = Reader(), threading.Event()
    member = Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        session_timeout="500ms",
        binding=reader,
        on_lost=application.on_lost,
    )
    assert reader.owned is not None
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    before = reader.owned([ONE, Grant(queue(), 2)])
    poll = kafka.poll

    def frozen(timeout_ms: int) -> list[Event]:
        thawed.wait(WAIT_S)
        return poll(timeout_ms)

    kafka.poll = frozen  # type: ignore[method-assign]  # the member's thread stands still
    owned = reader.owned
    until(lambda: not owned([ONE]))
    thawed.set()
    until(lambda: application.told("lost"))
    member.stop("0s")

    assert {ONE} == before
    assert [] == releases(kafka)


async def play(kafka: MemoryTransport, reader: Reader, *, failing: bool) -> float:
    """Have a hand-over wait for the loop, which must go on meanwhile; return how long it waited."""
    heard = asyncio.Event()

    async def on_revoked(_: tuple[Grant, ...]) -> None:
        heard.set()

    async with AsyncMember(
        group=GROUP, topics=["orders"], transport=kafka, binding=reader, on_revoked=on_revoked
    ) as member:
        await asyncio.to_thread(kafka.assign, 1, hold=[(0, 1)])
        await member.wait_until(lambda it: it.assignment, "5s")
        if failing:
            raise ZeroDivisionError
        kafka.assign(2, give=[(0, 1)])
        began = time.monotonic()
        await asyncio.sleep(0.1)
        slept = time.monotonic() - began
        reader.put_down.set()
        await heard.wait()
    return slept


def test_a_binding_does_not_stop_the_loop(kafka: MemoryTransport) -> None:
    """It waits on the member's thread; what is in hand can be finished by the loop."""
    with Stopwatch():
        asyncio.run(play(kafka, Reader(), failing=False))

    assert [(*queue(), 1, 7, None, None)] == released(kafka)


def test_an_error_ends_an_asynchronous_block_at_once_too(kafka: MemoryTransport) -> None:
    """In good order."""
    with Stopwatch(), pytest.raises(ZeroDivisionError):
        asyncio.run(play(kafka, Reader(), failing=True))

    assert [(*queue(), 1, 7, None, None)] == released(kafka)
