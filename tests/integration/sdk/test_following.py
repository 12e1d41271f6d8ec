"""Assignments for those who are no members: by Kafka alone, and by Redis."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest
import redis

import trimtab
from console.embedded.broker import EmbeddedKafka
from tests.builders.checkout import ROOT
from tests.builders.examples import Running, programs
from tests.integration.conftest import MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.outside_view import metrics
from tests.integration.published import PATIENCE_S, Published
from tests.integration.shared_installation import SharedRedis
from trimtab.protocol import MemberKey, encode

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

PAGE = (ROOT / "docs" / "following.md").read_text("utf-8")
(BY_KAFKA,) = programs(PAGE, "With kafka-python")
(BY_REDIS,) = programs(PAGE, "With Redis")
QUEUES = 8
SOON_S = 20.0
"""A rebalance takes a second, on busy cores a few; sessions last longer."""


@pytest.fixture
def hashes(redis_server: SharedRedis) -> Iterator[redis.Redis]:
    """A client of the session's Redis, which answers again whatever the test has done to it."""
    with redis.Redis.from_url(redis_server.url) as client:
        yield client
    redis_server.signal(signal.SIGCONT)


def until(condition: Callable[[], object], within: float = PATIENCE_S) -> None:
    """Wait for what other processes do."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def test_the_example_with_kafka_python_follows(
    kafka: EmbeddedKafka,
    controller: ControllerProcess,
    group: str,
    member: MakeMember,
    tmp_path: Path,
) -> None:
    """As it is printed: it shows what each member holds, and who is gone."""
    ours = BY_KAFKA.replace("localhost:9092", kafka.bootstrap_servers)
    ours = ours.replace("trimtab.assignments", f"{controller.prefix}assignments")
    assert ours.count(kafka.bootstrap_servers) == ours.count(controller.prefix) == 1
    printed = tmp_path / "printed"
    with Running(ours, printed):
        with member("a") as a, member("b"):
            a.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
            held = sorted(f"{it.queue.topic}/{it.queue.id}" for it in a.assignment)
            shown = re.compile(rf"{group}/a epoch \d+ holds {re.escape(str(held))}")
            until(lambda: shown.search(printed.read_text()))
        until(lambda: f"{group}/a is gone" in printed.read_text())


def test_an_iterator_follows(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, member: MakeMember
) -> None:
    """The last of each member, or of one, and then what comes, until it is told to end."""
    over: list[bool] = []
    begun = time.monotonic()

    def follow(**options: str) -> Iterator[trimtab.Followed]:
        return trimtab.follow(
            kafka.bootstrap_servers,
            group=group,
            prefix=controller.prefix,
            kafka={"log_level": 0},
            is_over=lambda: over or time.monotonic() - begun > 2 * PATIENCE_S,
            **options,
        )

    with member("a") as a, member("b"):
        a.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
        mine = {it.queue for it in a.assignment}
        both = follow()
        holds = (it.assignment.hold for it in both if it.member == "a" and it.assignment)
        assert any(mine == {it.queue for it in those} for those in holds)
        assert ["b"] == [it.member for it in islice(follow(member="b"), 1)]
    assert {"a", "b"} == {it.member for it in islice((it for it in both if not it.assignment), 2)}
    over.append(True)
    assert [] == list(both)


def test_each_member_has_a_hash(
    controller: ControllerProcess,
    published: Published,
    group: str,
    member: MakeMember,
    hashes: redis.Redis,
    redis_server: SharedRedis,
) -> None:
    """It says what Kafka says, byte for byte; the example shows it; who is gone has no value."""
    name = f"{controller.prefix}assignments:{group}/a"
    example = BY_REDIS.replace("redis://localhost:6379/0", redis_server.url)
    example = example.replace("trimtab.assignments:billing/worker-1", name)
    with member("a") as a:
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        until(lambda: hashes.hget(name, "value") == last_record(published, group, "a"))
        value = hashes.hget(name, "value") or b""
        assert str(json.loads(value)["epoch"]).encode() == hashes.hget(name, "epoch")
        shown = subprocess.run([sys.executable, "-c", example], capture_output=True, check=True)
        assert a.assignment[0].queue.topic in shown.stdout.decode()
    until(lambda: hashes.hget(name, "value") is None)
    shown = subprocess.run([sys.executable, "-c", example], capture_output=True, check=True)
    assert b"no such member" in shown.stdout


def test_a_redis_that_hangs_holds_nobody_up(
    controller: ControllerProcess,
    published: Published,
    group: str,
    member: MakeMember,
    hashes: redis.Redis,
    redis_server: SharedRedis,
) -> None:
    """Members get their queues as ever; when it answers again it is told the newest of each."""
    redis_server.signal(signal.SIGSTOP)
    with member("a") as a, member("b") as b:
        published.wait_until(lambda: published.is_stable(group, "ab", QUEUES), SOON_S)
        for it in (a, b):
            it.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
        controller.wait_for_line("cannot write to Redis", within=PATIENCE_S)
        redis_server.signal(signal.SIGCONT)
        name = f"{controller.prefix}assignments:{group}/b"
        epoch = published_epoch(published, group, "b")
        until(lambda: int(hashes.hget(name, "epoch") or 0) >= epoch)
    until(lambda: metrics(controller)['trimtab_redis_records_total{result="written"}'] >= 2)


def last_record(published: Published, group: str, name: str) -> bytes:
    """What a member was told last, as it stands in Kafka."""
    published.catch_up()
    record = published.assignments.get(MemberKey(group, name))
    return b"" if record is None else encode(record)


def published_epoch(published: Published, group: str, name: str) -> int:
    """The epoch under which a member was told last, when its group is at rest."""
    published.wait_until(lambda: group in published.groups)
    published.wait_until(lambda: published.groups[group].state == "stable")
    published.catch_up()
    record = published.assignments[MemberKey(group, name)]
    assert record is not None
    return record.epoch
