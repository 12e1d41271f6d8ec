"""An operator at work: commands on their topic, and what becomes of a group with real members."""

from collections.abc import Callable

import pytest
from confluent_kafka import Producer

from console.embedded.broker import EmbeddedKafka
from tests.integration.conftest import MakeMember
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import PARTITIONS
from trimtab.protocol import (
    DrainMember,
    Forget,
    Pause,
    Record,
    Resume,
    encode,
    partition_of,
)

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8
Give = Callable[[Record], None]


@pytest.fixture
def command(kafka: EmbeddedKafka, controller: ControllerProcess, group: str) -> Give:
    """Gives commands about the test's group."""
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    key = group.encode()

    def give(record: Record) -> None:
        topic, partition = f"{controller.prefix}commands", partition_of(key, PARTITIONS)
        producer.produce(topic, encode(record), key, partition)
        assert 0 == producer.flush(30)

    return give


def test_an_operator_drains_pauses_and_forgets(
    published: Published, group: str, member: MakeMember, command: Give
) -> None:
    """A drained member gives everything in good order; a paused group waits; each is answered."""
    with member("a") as a, member("b") as b:
        b.wait_until(lambda it: len(it.assignment) == QUEUES // 2)
        command(DrainMember(id="c1", principal="ann", reason="rack 3", member="b"))
        a.wait_until(lambda it: len(it.assignment) == QUEUES)
        half = {"released": QUEUES // 2}
        published.wait_until(lambda: published.passed(group, "b", "a") == half)

        command(Pause(id="c2", principal="ann", reason="let me look"))
        published.wait_until(lambda: "c2" in published.answers(group))
        with member("c"):
            published.wait_until(lambda: len(published.groups[group].people) == 3)
            published.watch(1)
            assert {"a": QUEUES, "b": 0, "c": 0} == {
                it.member: it.hold for it in published.groups[group].people
            }

            command(Resume(id="c3", principal="ann", reason="seen enough"))
            a.wait_until(lambda it: len(it.assignment) == QUEUES // 2)

    published.wait_until(lambda: published.groups[group].members == 0)
    command(Forget(id="c4", principal="ann", reason="retired"))
    published.wait_until(lambda: "c4" in published.answers(group))
    published.wait_until(lambda: "forget by ann: retired" == published.groups[group].cause.detail)
    assert ("empty", {}) == (published.groups[group].state, published.groups[group].topics)

    done = dict.fromkeys(("c1", "c2", "c3", "c4"), "done")
    published.wait_until(lambda: published.answers(group) == done)
