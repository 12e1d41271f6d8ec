"""A controller that was away while very many beats were written."""

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from trimtab.protocol import DEFAULT_PARTITIONS, Beat, encode, partition_of

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

BEATS = 300_000
"""More than a batch holds; 5,000,000 were tried, and take two minutes more."""
MEMORY_BYTES = 2 << 30
PAGE_BYTES = 4096


def written(servers: str, prefix: str, count: int) -> None:
    """Write beats of a thousand members."""
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 50, "acks": 1})
    values = [
        encode(Beat(member=f"m{it}", incarnation="1767225600000-9f86d081", sequence=it, epoch=1))
        for it in range(1_000)
    ]
    topic, done = f"{prefix}heartbeats", 0
    while done < count:
        group = f"elsewhere-{done % 97}"
        try:
            place = partition_of(group, DEFAULT_PARTITIONS)
            producer.produce(topic, values[done % 1_000], group.encode(), place)
        except BufferError:
            producer.poll(0.1)
        else:
            done += 1
    producer.flush(60)


def family(pid: int) -> Iterator[int]:
    """A process and all below it."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            yield from family(int(child))


def resident(pid: int) -> int:
    """The memory of a process and all below it."""
    pages = 0
    for one in family(pid):
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
    return pages * PAGE_BYTES


@pytest.mark.timeout(900)  # two starts of Spark
def test_a_backlog_is_digested_and_moves_nothing(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """In pieces, within bounds of memory; who lives keeps what it has, and newcomers come in."""
    servers, highest, over = kafka.bootstrap_servers, [0], Event()

    def watches(pid: int) -> None:
        while not over.wait(0.2):
            highest[0] = max(highest[0], resident(pid))

    with ControllerProcess(tmp_path, servers, topics_prefix) as controller:
        published = Published(servers, topics_prefix)
        with lone_member("a") as a, lone_member("b") as b:
            published.wait_until(lambda: published.is_stable(group, "ab", 8))
            published.wait_until(lambda: all(map(published.is_read_by, (a, b))))
            before = {it: it.assignment for it in (a, b)}
            controller.kill()
            written(servers, topics_prefix, BEATS)
            began = time.monotonic()
            controller.start()
            watcher = Thread(target=watches, args=(controller.pid,))
            watcher.start()
            with lone_member("c") as c:
                c.wait_until(lambda it: len(it.assignment) > 0, timeout=300)
                took = time.monotonic() - began
                published.wait_until(lambda: published.is_stable(group, "abc", 8))
                published.watch(SESSION_S / 2)
                kept = [set(it.assignment) <= set(before[it]) for it in (a, b)]
        over.set()
        watcher.join()
        handed = published.handovers(group)
        published.close()

    print(f"{BEATS} beats: {took:.0f} s, {highest[0] >> 20} MiB")  # noqa: T201 - shown by -rP
    assert [True, True] == kept
    assert {"released"} == {it.ending for it in handed if it.to_member == "c"}
    assert MEMORY_BYTES > highest[0]
