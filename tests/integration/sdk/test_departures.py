"""A member goes while the controller cannot be asked: its queues go on at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import pytest

from bench.departures.supervised import SUPERVISED
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.guarded import await_guard
from tests.integration.published import Published
from trimtab import Member

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.alone]

QUEUES = 8
AT_ONCE_S = SESSION_S / 2
"""Nobody else could have them go on, so this is for a machine that pauses."""
BOOKED = ({"released": QUEUES // 2}, {"left": QUEUES // 2})
"""A controller that is back may read that a member left, and that its heir works, before the
release on which it began: topics are read side by side."""


def test_who_leaves_hands_on_without_the_controller(
    controller: ControllerProcess, published: Published, group: str, member: MakeMember
) -> None:
    """The other one begins on the release; the controller learns of it when it is back."""
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)  # or b may come first, and give too
        with member("b") as b:
            published.wait_until(lambda: published.has_heirs(group, "ab", QUEUES))
            published.wait_until(lambda: published.is_read_by(a) and published.is_read_by(b))
            with frozen(controller):
                assert b.stop()
                a.wait_until(lambda it: len(it.assignment) == QUEUES)
        no_queue_moves(published, group, a)
        published.wait_until(lambda: published.passed(group, "b", "a") in BOOKED)


@pytest.mark.parametrize("by", [(), SUPERVISED], ids=["its own", "trimtab-guard"])
def test_who_is_killed_under_a_guard_is_succeeded_without_the_controller(
    controller: ControllerProcess,
    published: Published,
    group: str,
    member: MakeMember,
    arguments: Callable[[str], dict[str, object]],
    by: tuple[str, ...],
) -> None:
    """Long before its session is over; people have seen that it is guarded."""
    options = json.dumps({**arguments("b"), "guard": True})
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        command = [*by, sys.executable, "-m", "tests.integration.worker", options]
        environment = os.environ | {"TRIMTAB_TEST_DEATH": "kill"}
        with subprocess.Popen(command, env=environment) as victim:
            published.wait_until(lambda: published.has_heirs(group, "ab", QUEUES))
            published.wait_until(lambda: published.is_read_by(a))
            await_guard(victim.pid)
            time.sleep(1.0)  # until the other one has read its record as well
            people = published.groups[group].people
            assert {"a": None, "b": True} == {it.member: it.guarded for it in people}
            with frozen(controller):
                victim.send_signal(signal.SIGUSR1)
                a.wait_until(lambda it: len(it.assignment) == QUEUES)
        no_queue_moves(published, group, a)


def test_a_rolling_restart_needs_no_controller(
    controller: ControllerProcess, published: Published, group: str, member: MakeMember
) -> None:
    """Four members are restarted one after another: each queue is always somebody's, and one's."""
    with ExitStack() as stack:
        there = {name: stack.enter_context(member(name)) for name in "abcd"}
        published.wait_until(lambda: published.has_heirs(group, "abcd", QUEUES))
        published.wait_until(lambda: all(published.is_read_by(it) for it in there.values()))
        with frozen(controller):
            for name in "abcd":
                assert there[name].stop()
                at_once(lambda: owners(there) == list(range(QUEUES)))
                there[name] = stack.enter_context(member(name))
                time.sleep(1.0)  # until the others know that it is there
        before = {it.member_id: {grant.queue for grant in it.assignment} for it in there.values()}
        published.wait_until(lambda: {QUEUES // 4} == {len(it.assignment) for it in there.values()})
        published.wait_until(lambda: published.has_heirs(group, "abcd", QUEUES))
        after = {it.member_id: {grant.queue for grant in it.assignment} for it in there.values()}

    surplus = sum(max(0, len(those) - QUEUES // 4) for those in before.values())
    assert surplus == sum(len(those - after[name]) for name, those in before.items())


def owners(members: Mapping[str, Member]) -> list[int]:
    """Return the queues that are worked on, each as often as it is."""
    return sorted(grant.queue.id for it in members.values() for grant in it.assignment)


def at_once(condition: Callable[[], bool]) -> None:
    """Wait a moment for what needs no controller."""
    deadline = time.monotonic() + AT_ONCE_S
    while not condition():
        assert time.monotonic() < deadline, "no controller was there, and nobody went on"
        time.sleep(0.01)


def no_queue_moves(published: Published, group: str, heir: Member) -> None:
    """Wait until the controller, back again, has booked what has happened; nothing is undone."""
    before = heir.assignment
    published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
    assert before == heir.assignment


@contextmanager
def frozen(controller: ControllerProcess) -> Iterator[None]:
    """Freeze the controller meanwhile, and its JVM."""
    os.killpg(controller.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(controller.pid, signal.SIGCONT)
