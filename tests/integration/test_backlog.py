"""A controller that was away while very many records were written."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from console.embedded.broker import EmbeddedKafka
from streaming.pipeline import MOST_WAITING
from tests.integration.conftest import SESSION_S, MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.flood import flood
from tests.integration.published import Published

pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.slow]

BEATS = 300_000
"""Three batches, or a few more."""
MEMORY_BYTES = 2 << 30
PAGE_BYTES = 4096


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


@contextmanager
def highest(controller: ControllerProcess) -> Iterator[list[int]]:
    """The most memory that it takes meanwhile."""
    most, over = [0], Event()

    def watches() -> None:
        while not over.wait(0.2):
            most[0] = max(most[0], resident(controller.pid))

    watcher = Thread(target=watches)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def outlived(
    controller: ControllerProcess,
    published: Published,
    make: MakeMember,
    group: str,
    **flooded: int,
) -> tuple[float, int]:
    """Let it be away while a topic is flooded: nothing moves, and a newcomer comes in after it.

    Return how long that took the newcomer, and the most memory that the controller took.
    """
    with make("a") as a, make("b") as b:
        published.wait_until(lambda: published.is_stable(group, "ab", 8))
        published.wait_until(lambda: all(map(published.is_read_by, (a, b))))
        before = {it: set(it.assignment) for it in (a, b)}
        controller.kill()
        for topic, count in flooded.items():
            flood(controller.servers, controller.prefix, topic, count)
        assert before == {it: set(it.assignment) for it in (a, b)}
        began = time.monotonic()
        controller.start()
        with highest(controller) as memory, make("c") as c:
            c.wait_until(lambda it: len(it.assignment) > 0, timeout=300)
            took = time.monotonic() - began
            published.wait_until(lambda: published.is_stable(group, "abc", 8))
            published.watch(SESSION_S / 2)
            after = {it: set(it.assignment) for it in (a, b)}
            assert [set(), set()] == [after[it] - before[it] for it in (a, b)]
    assert {"released"} == {it.ending for it in published.handovers(group) if it.to_member == "c"}
    return took, memory[0]


@pytest.mark.timeout(900)  # two starts of Spark
def test_a_backlog_is_digested_and_moves_nothing(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """In pieces, within bounds of memory; who lives keeps what it has, and newcomers come in."""
    with ControllerProcess(tmp_path, kafka.bootstrap_servers, topics_prefix) as controller:
        published = Published(kafka.bootstrap_servers, topics_prefix)
        took, memory = outlived(controller, published, lone_member, group, heartbeats=BEATS)
        published.close()

    print(f"{BEATS} beats: {took:.0f} s, {memory >> 20} MiB")  # noqa: T201 - shown by -rP
    assert MEMORY_BYTES > memory
    assert 1 == len(list(tmp_path.glob("checkpoint*")))


@pytest.mark.timeout(900)  # two starts of Spark
def test_a_checkpoint_that_is_too_old_is_set_aside(
    kafka: EmbeddedKafka,
    topics_prefix: str,
    tmp_path: Path,
    group: str,
    lone_member: MakeMember,
) -> None:
    """More that is urgent waits for it than a first batch may hold; nothing moves."""
    with ControllerProcess(tmp_path, kafka.bootstrap_servers, topics_prefix) as controller:
        published = Published(kafka.bootstrap_servers, topics_prefix)
        most = MOST_WAITING + 20_000
        _, memory = outlived(controller, published, lone_member, group, releases=most)
        published.close()

    assert MEMORY_BYTES > memory
    assert 2 == len(list(tmp_path.glob("checkpoint*")))
    assert "more waits than can be read at once" in controller.log.read_text()
