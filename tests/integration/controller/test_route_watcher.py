"""Topics that grow, and topics that are not there yet."""

import time
from functools import partial

import pytest
import structlog

from console.embedded.broker import EmbeddedKafka
from streaming.feeds.kafka_racks import Racks
from streaming.feeds.metadata import Metadata
from streaming.process.trouble import Trouble
from tests.builders.name_server import answering
from tests.integration.conftest import QUEUES
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.shared_installation import RACK
from tests.integration.topics import create_topic, grow_topic
from trimtab import Member
from trimtab.protocol import RackRef

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

GROWTH_S = 5.0
"""What is promised from the growth of a topic to the group's knowing. A machine that pauses may
miss it once; who is too slow misses it more often."""


def test_kafka_says_in_which_racks_a_topic_stands(kafka: EmbeddedKafka, topic: str) -> None:
    """By the rack of each broker that has a replica."""
    trouble = Trouble(structlog.get_logger(), "ask")
    metadata = Metadata({"bootstrap.servers": kafka.bootstrap_servers}, trouble, Racks())

    assert (RackRef((RACK,), 0, QUEUES),) == metadata.look([topic])[topic].racks


def test_the_growth_of_a_topic_reaches_its_group(
    kafka: EmbeddedKafka,
    controller: ControllerProcess,
    published: Published,
    group: str,
    topic: str,
) -> None:
    """New partitions are assigned within five seconds, and the old ones stay where they are."""
    servers, took = kafka.bootstrap_servers, []
    with Member(
        servers, prefix=controller.prefix, group=group, topics=[topic], member_id="a"
    ) as member:
        published.wait_until(lambda: published.is_stable(group, "a", 8))
        for queues in (12, 16, 20):
            before = set(member.assignment)
            grow_topic(servers, topic, queues)
            took.append(stable_after(published, group, queues))
            member.wait_until(partial(works_on, queues=queues))

            assert before < set(member.assignment)

    assert sorted(took)[1] < GROWTH_S, took


def test_a_missing_topic_is_awaited(
    kafka: EmbeddedKafka,
    controller: ControllerProcess,
    published: Published,
    group: str,
    names: str,
) -> None:
    """The group says that it waits, and is at work once somebody creates the topic.

    It is missing when Kafka and a name server have said so; while that is away, nobody knows.
    """
    servers, topic = kafka.bootstrap_servers, f"{group}-later"
    with Member(
        servers, prefix=controller.prefix, group=group, topics=[topic], member_id="a"
    ) as member:
        published.wait_until(lambda: group in published.groups)
        assert 0 == published.groups[group].topics[topic].version
        with answering({}, port=int(names.rpartition(":")[2])):
            published.wait_until(lambda: published.groups[group].topics[topic].version > 0)
        assert [True] == [it.awaited for it in published.groups[group].topics.values()]
        assert () == member.assignment

        create_topic(servers, topic, 3)
        published.wait_until(lambda: published.is_stable(group, "a", 3))
        assert [False] == [it.awaited for it in published.groups[group].topics.values()]


def test_a_topic_of_a_pattern_is_picked_up_when_it_is_created(
    kafka: EmbeddedKafka, controller: ControllerProcess, published: Published, group: str
) -> None:
    """What exists is granted at once, what is created later within seconds; the rest never."""
    servers, took = kafka.bootstrap_servers, []
    create_topic(servers, f"{group}-one", 3)
    create_topic(servers, f"other-{group}-one", 5)
    with Member(
        servers, prefix=controller.prefix, group=group, patterns=[f"{group}-*"], member_id="a"
    ) as member:
        published.wait_until(lambda: published.is_stable(group, "a", 3))
        for name, queues in (("two", 7), ("three", 11), ("four", 15)):
            create_topic(servers, f"{group}-{name}", 4)
            took.append(stable_after(published, group, queues))
            member.wait_until(partial(works_on, queues=queues))

        topics = {f"{group}-{name}" for name in ("one", "two", "three", "four")}
        assert topics == published.groups[group].topics.keys()
        assert (f"{group}-*",) == published.groups[group].patterns

    assert min(took) < GROWTH_S


def stable_after(published: Published, group: str, queues: int) -> float:
    """Wait until the only member holds so many queues; return how long that took."""
    begun = time.monotonic()
    published.wait_until(lambda: published.is_stable(group, "a", queues))
    return time.monotonic() - begun


def works_on(member: Member, queues: int) -> bool:
    """Tell whether a member has so many queues."""
    return len(member.assignment) == queues
