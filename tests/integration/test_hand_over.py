"""Real members on a real controller: who comes and goes, and what becomes of the queues."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.integration.conftest import MakeMember
from tests.integration.published import Published
from trimtab.protocol import MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8


def test_the_first_member_gets_everything(
    published: Published, group: str, member: MakeMember
) -> None:
    """A group is at work as soon as it has a member and its topic has been looked at."""
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        published.wait_until(lambda: published.is_stable(group, "a", QUEUES))

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
    (end,) = ends()
    assert ("expired", "expiry") == (end.event, end.cause.kind)
    assert (end.cause.detail or "").startswith("silent for")
