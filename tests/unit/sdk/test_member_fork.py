"""A member in a process that was forked while it worked: the other process works on."""

import threading
from collections.abc import Callable
from multiprocessing import get_context

import pytest

from tests.builders.application import ONE, WAIT_S, records
from tests.builders.memory import MemoryTransport
from trimtab import Member
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
