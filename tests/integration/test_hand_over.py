"""Real members on a real controller: who comes and goes, and what becomes of the queues."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab import Member
from trimtab.protocol import MemberChanged

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8
SESSION_S = 3
MakeMember = Callable[[str], Member]


@pytest.fixture
def arguments(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str
) -> Callable[[str], dict[str, object]]:
    """What a member of the test's group is made with."""

    def named(name: str) -> dict[str, object]:
        return {
            "bootstrap_servers": kafka.bootstrap_servers,
            "prefix": controller.prefix,
            "group": group,
            "topics": [topic],
            "member_id": name,
            "session_timeout": f"{SESSION_S}s",
        }

    return named


@pytest.fixture
def member(arguments: Callable[[str], dict[str, object]]) -> MakeMember:
    """Makes a member of the test's group."""

    def make(name: str) -> Member:
        return Member(**arguments(name))  # type: ignore[arg-type]  # plain JSON, checked by Member

    return make


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

    (end,) = [
        it
        for it in published.of_group(group)
        if isinstance(it, MemberChanged) and it.member == "b" and it.event != "joined"
    ]
    assert ("expired", "expiry") == (end.event, end.cause.kind)
    assert (end.cause.detail or "").startswith("silent for")
