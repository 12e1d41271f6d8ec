"""Members and consumers in a process that was forked while they worked: the other works on."""

import math
import threading
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, cast

import pytest

from tests.builders.application import ONE, WAIT_S, records
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory, Said
from tests.unit.sdk.test_consumer import a_consumer
from trimtab import ConfigurationError, Consumer, Member
from trimtab.protocol import Leave

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning"),
]


def in_a_fork(check: Callable[[], None]) -> int | None:
    """Run this in a fork; return its exit code, or None if it hangs."""
    child = get_context("fork").Process(target=check)
    child.start()
    child.join(WAIT_S)
    code = child.exitcode
    child.kill()
    child.join()
    return code


def at_work(kafka: MemoryTransport) -> Consumer:
    """A consumer with a message in hand, and more at hand."""
    consumer, reading = a_consumer(kafka), InMemory()
    reading.grant(1)
    intake = consumer._reader.parts.intake  # noqa: SLF001 - what it has read is played
    intake.owned, intake.readings = reading.intake.owned, reading.intake.readings
    intake.hand.messages = cast("Any", [Said(it, queue()) for it in range(5)])
    intake.due = math.inf
    return consumer


def test_nothing_of_it_is_done_that_the_other_process_does(kafka: MemoryTransport) -> None:
    """Also if a thread had the turn then, or came for messages, which will never end that."""
    consumer = at_work(kafka)
    loop, alone = iter(consumer), consumer._reader.taking.alone  # noqa: SLF001 - as any call does
    first = next(loop)
    locked, let_go = threading.Event(), threading.Event()

    def lock() -> None:
        with consumer._reader.parts.intake.turn, alone._mine:  # noqa: SLF001 - as above
            locked.set()
            let_go.wait(WAIT_S)

    def check() -> None:
        for call in (
            lambda: consumer.poll(0),
            lambda: next(loop),
            lambda: next(consumer.batches()),
            consumer.commit,
            lambda: consumer.commit(first),
            lambda: consumer.pause(queue()),
            lambda: consumer.resume(queue()),
            lambda: consumer.seek(queue(), 0),
            consumer.lag,
        ):
            with pytest.raises(ConfigurationError, match=r"make it after the fork$"):
                call()

    locking = threading.Thread(target=lock)
    locking.start()
    assert locked.wait(WAIT_S)
    code = in_a_fork(check)
    let_go.set()
    locking.join()

    assert (0, 0, 1) == (code, first.offset(), next(loop).offset())


def test_it_holds_nothing_and_ends_nothing(member: Member, kafka: MemoryTransport) -> None:
    """Also if a thread had its lock then, which will never let go of it."""
    kafka.assign(1, hold=[(0, 1)])
    member.wait_until(lambda it: it.assignment, WAIT_S)
    locked, let_go = threading.Event(), threading.Event()

    def lock() -> None:
        with member._engine.changed:  # noqa: SLF001 - as any call does
            locked.set()
            let_go.wait(WAIT_S)

    def check() -> None:
        assert ((), False, "ended") == (member.assignment, member.holds(ONE), member.state)
        assert not member.owned([ONE]).grants
        member.__exit__(None, None, None)

    locking = threading.Thread(target=lock)
    locking.start()
    assert locked.wait(WAIT_S)
    code = in_a_fork(check)
    let_go.set()
    locking.join()

    assert (0, True, "joined") == (code, member.holds(ONE), member.state)
    assert not records(kafka, Leave)
