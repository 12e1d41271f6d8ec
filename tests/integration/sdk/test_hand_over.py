"""Real members on a real controller: who comes and goes, and what becomes of the queues."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.published import PATIENCE_S, Published
from trimtab import Member
from trimtab.protocol import Conflict, MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8


def test_the_first_member_gets_everything(
    published: Published, group: str, member: MakeMember
) -> None:
    """A group is at work as soon as it has a member and its topic has been looked at."""
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))

    published.catch_up()
    assert [] == published.handovers(group)


def test_a_newcomer_takes_over_from_the_holder(
    published: Published, group: str, member: MakeMember
) -> None:
    """A join moves half of the queues, each released by one member before the other starts."""
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        with member("b") as b:
            b.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
            published.wait_until(lambda: published.is_stable(group, "ab", QUEUES))
            half = {"released": QUEUES // 2}
            published.wait_until(lambda: published.passed(group, "a", "b") == half)


def test_a_leaver_hands_everything_over(
    published: Published, group: str, member: MakeMember
) -> None:
    """Who stops in good order works on until the others have taken over."""
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)  # or b may come first, and give too
        with member("b") as b:
            b.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
        half = {"released": QUEUES // 2}
        published.wait_until(lambda: published.passed(group, "b", "a") == half)


def test_a_killed_member_is_fenced_by_its_silence(
    published: Published,
    group: str,
    member: MakeMember,
    arguments: Callable[[str], dict[str, object]],
) -> None:
    """After SIGKILL the survivors have all queues one session later, and the history says why."""
    with member("a") as a:
        command = [sys.executable, "-m", "tests.integration.worker", json.dumps(arguments("b"))]
        with subprocess.Popen(command) as victim:
            a.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
            published.wait_until(lambda: published.is_stable(group, "ab", QUEUES))
            victim.send_signal(signal.SIGKILL)
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
        a.wait_until(lambda it: len(it.assignment) == QUEUES)

    def ends() -> list[MemberChanged]:
        changes = [it for it in published.of_group(group) if isinstance(it, MemberChanged)]
        return [it for it in changes if it.member == "b" and it.event != "joined"]

    published.wait_until(lambda: bool(ends()))
    published.catch_up()
    (end,) = ends()
    assert ("expired", "expiry") == (end.event, end.cause.kind)
    (silent_ms,) = map(int, re.findall(r"silent for (\d+) ms", end.cause.detail or ""))
    assert 1_000 * SESSION_S < silent_ms < 1_500 * SESSION_S  # by log time: a busy machine is none


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_frozen_member_does_not_evict_who_took_over(
    published: Published,
    group: str,
    arguments: Callable[[str], dict[str, object]],
    name: str,
) -> None:
    """SIGSTOP, another process takes its name or its instance, SIGCONT: that one stays."""
    static = {"instance": "i"}
    command = [
        sys.executable,
        "-m",
        "tests.integration.worker",
        json.dumps(arguments("a") | static),
    ]
    with subprocess.Popen(command) as frozen:
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))
        frozen.send_signal(signal.SIGSTOP)
        try:
            time.sleep(SESSION_S + 1)
            with Member(**(arguments(name) | static)) as successor:  # type: ignore[arg-type]  # as above
                successor.wait_until(lambda it: len(it.assignment) == QUEUES)
                held = successor.assignment
                frozen.send_signal(signal.SIGCONT)
                if name == "a":
                    assert 1 == frozen.wait(PATIENCE_S)
                else:
                    published.wait_until(lambda: met(published, group) == [("b", "a")])
                published.watch(seconds=2)
                assert (None, held) == (successor.failure, successor.assignment)
        finally:
            frozen.kill()


def met(published: Published, group: str) -> list[tuple[str, str]]:
    """Who was refused in whose favour."""
    conflicts = [it for it in published.of_group(group) if isinstance(it, Conflict)]
    return [(it.older, it.newer) for it in conflicts if it.rule == "refuse-newer"]
