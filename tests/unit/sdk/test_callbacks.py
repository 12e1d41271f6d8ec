"""What `docs/callbacks.md` says of a member's callbacks."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.builders.application import ONE, WAIT_S, Application, releases, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, queue
from trimtab import CallbackError, Grant, Member, MemberFailedError, QueueRef

TWO = Grant(queue(1), 2)
Callback = Callable[[Any], object]


def a_member(kafka: MemoryTransport, application: Application, **others: Callback) -> Member:
    """A member of an application, which may have other callbacks."""
    for name, callback in others.items():
        setattr(application, name, callback)
    return Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=application.on_assigned,
        on_revoked=application.on_revoked,
        on_lost=application.on_lost,
        on_error=application.on_error,
    )


class Slow(Application):
    """Waits in `on_revoked` until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on = threading.Event()

    def on_revoked(self, grants: tuple[Grant, ...]) -> dict[QueueRef, int | None] | None:
        """Stop, in the end."""
        self.heard.append(("revoked", grants))
        assert self.may_go_on.wait(WAIT_S)
        self.heard.append(("returned", grants))
        return {queue(): 42}


def test_they_run_one_at_a_time_on_one_thread(kafka: MemoryTransport) -> None:
    """In the order of what happens; it is neither the member's nor the program's."""
    application, threads = Slow(), set[str]()

    def note(*_: object) -> None:
        threads.add(threading.current_thread().name)
        application.heard.append(("assigned", ()))

    with a_member(kafka, application, on_assigned=note) as member:
        kafka.assign(1, hold=[(0, 1)])
        kafka.assign(2, give=[(0, 1)], hold=[(1, 2)])
        until(lambda: application.told("revoked"))
        before = [what for what, _ in application.heard]
        application.may_go_on.set()
        until(lambda: len(application.told("assigned")) == 2)
        after = [what for what, _ in application.heard]
        member.stop("0s")

    assert ["assigned", "revoked"] == before
    assert [*before, "returned", "assigned"] == after
    assert {"trimtab-callbacks"} == threads


def test_what_is_true_while_they_run(kafka: MemoryTransport) -> None:
    """A queue is one's own from `on_assigned` on, and released when `on_revoked` returns."""
    application, seen = Slow(), list[object]()

    def note(_: object) -> None:
        seen.append((member.assignment, member.holds(ONE)))

    with (member := a_member(kafka, application, on_assigned=note)):
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: seen)
        kafka.assign(2, give=[(0, 1, 2)])
        until(lambda: application.told("revoked"))
        during = [
            *(member.assignment, member.holds(ONE), member.owned([ONE]).grants),
            releases(kafka),
        ]
        application.may_go_on.set()
        until(lambda: releases(kafka))
        (release,) = releases(kafka)

    assert [((ONE,), True)] == seen
    assert [(), False, {ONE}, []] == during
    assert [(1, 42, 2)] == [(row.epoch, row.position, row.next) for row in release.queues]


def test_some_may_be_released_while_it_runs(kafka: MemoryTransport) -> None:
    """Their heirs need not wait for what the rest waits for; what it returns of them is no news."""
    application = Slow()
    with a_member(kafka, application) as member:
        kafka.assign(1, hold=[(0, 1), (1, 2)])
        kafka.assign(2, give=[(0, 1, 3), (1, 2, 4)])
        until(lambda: application.told("revoked"))
        member.finish({TWO: 7})
        until(lambda: releases(kafka))
        first = releases(kafka)
        application.may_go_on.set()
        until(lambda: len(releases(kafka)) == 2)
        member.stop("0s")

    assert [[(2, 7, 4)], [(1, 42, 3)]] == [
        [(row.epoch, row.position, row.next) for row in it.queues] for it in releases(kafka)
    ]
    assert [2] == [row.epoch for it in first for row in it.queues]


def test_what_is_lost_while_it_is_revoked_is_told_after_it(kafka: MemoryTransport) -> None:
    """And what it returns counts for nothing."""
    application = Slow()
    with a_member(kafka, application) as member:
        kafka.assign(1, hold=[(0, 1)])
        kafka.assign(2, give=[(0, 1)])
        until(lambda: application.told("revoked"))
        kafka.assign(3, hold=[(1, 2)])
        until(lambda: member.assignment == (TWO,))
        application.may_go_on.set()
        until(lambda: len(application.told("assigned")) == 2)

        assert ["assigned", "revoked", "returned", "lost", "assigned"] == [
            what for what, _ in application.heard
        ]
        assert [] == releases(kafka)
        member.stop("0s")


class Waiting:
    """An ``on_assigned`` that takes long."""

    def __init__(self) -> None:
        self.heard: list[tuple[Grant, ...]] = []
        self.began, self.may_go_on = threading.Event(), threading.Event()

    def told(self, grants: tuple[Grant, ...]) -> None:
        """Return when it may."""
        self.heard.append(grants)
        self.began.set()
        assert self.may_go_on.wait(WAIT_S)


def test_what_is_lost_before_it_is_revoked_is_told_as_lost_alone(kafka: MemoryTransport) -> None:
    """Others may be at work already: the application would finish and commit what is theirs."""
    application, wait = Application(), Waiting()
    with a_member(kafka, application, on_assigned=wait.told) as member:
        kafka.assign(1, hold=[(0, 1), (1, 2)])
        assert wait.began.wait(WAIT_S)
        kafka.assign(2, give=[(0, 1, 3), (1, 2, 4)])
        until(lambda: not member.assignment)
        kafka.assign(3, give=[(1, 2, 4)])
        until(lambda: not member.owned([ONE]).grants)
        wait.may_go_on.set()
        until(lambda: application.told("lost"))
        (release,) = releases(kafka)
        member.stop("0s")

    assert [("revoked", (TWO,)), ("lost", (ONE,))] == application.heard
    assert [2] == [row.epoch for row in release.queues]


def test_what_is_lost_before_it_is_assigned_is_not_told(kafka: MemoryTransport) -> None:
    """The application would begin beside others; and what it never had it does not lose."""
    application, wait = Application(), Waiting()
    with a_member(kafka, application, on_assigned=wait.told) as member:
        kafka.assign(1, hold=[(0, 1)])
        assert wait.began.wait(WAIT_S)
        kafka.assign(2, hold=[(0, 1), (1, 2)])
        until(lambda: TWO in member.assignment)
        kafka.assign(3, hold=[])
        until(lambda: not member.assignment)
        wait.may_go_on.set()
        until(lambda: application.told("lost"))
        member.stop("0s")

    assert ([(ONE,)], [("lost", (ONE,))]) == (wait.heard, application.heard)


@pytest.mark.parametrize("mistake", [LookupError, SystemExit, asyncio.CancelledError])
@pytest.mark.parametrize("name", ["on_assigned", "on_revoked", "on_lost", "on_error"])
def test_one_that_raises_ends_the_member(
    kafka: MemoryTransport, name: str, mistake: type[BaseException]
) -> None:
    """Whichever it is; `sys.exit()` would end its thread alone, and nobody would hear of it.

    So would what was cancelled in a callback's own `asyncio.run`.
    """

    def fail(_: object) -> None:
        raise mistake(name)

    application = Application()
    member = a_member(kafka, application, **{name: fail})
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    if name == "on_revoked":
        kafka.assign(2, give=[(0, 1)])
    elif name == "on_lost":
        until(lambda: application.told("assigned"))
        kafka.assign(2, hold=[])
    elif name == "on_error":
        kafka.release(kafka.joins[0])  # which is none, and cannot be read
    until(lambda: member.failure)
    member.stop("0s")

    assert isinstance(member.failure, CallbackError)
    assert name in str(member.failure)


def test_at_the_end_by_failure_on_error_comes_first(kafka: MemoryTransport) -> None:
    """Then what is lost by it; and after that nothing."""
    application = Application()

    def fail(_: object) -> None:
        raise LookupError

    member = a_member(kafka, application, on_assigned=fail)
    member.start()
    kafka.assign(1, hold=[(0, 1)])
    with pytest.raises(MemberFailedError):
        member.wait_until(lambda it: it.state == "ended", WAIT_S)
    member.stop("0s")

    assert [("error", member.failure), ("lost", (ONE,))] == application.heard
