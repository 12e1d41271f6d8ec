"""Topics that grow, and topics that are not there yet."""

import pytest

from console.embedded.broker import EmbeddedKafka
from tests.integration.controller_process import ControllerProcess
from tests.integration.published import Published
from tests.integration.topics import create_topic, grow_topic
from trimtab import Member

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

GROWTH_S = 5.0
"""What issue 3 allows from the growth of a topic to the group's knowing."""


def test_the_growth_of_a_topic_reaches_its_group(
    kafka: EmbeddedKafka,
    controller: ControllerProcess,
    published: Published,
    group: str,
    topic: str,
) -> None:
    """New partitions are assigned within five seconds, and the old ones stay where they are."""
    servers = kafka.bootstrap_servers
    with Member(
        servers, prefix=controller.prefix, group=group, topics=[topic], member_id="a"
    ) as member:
        published.wait_until(lambda: published.is_stable(group, "a", 8))
        before = set(member.assignment)
        grow_topic(servers, topic, 12)
        published.wait_until(lambda: published.is_stable(group, "a", 12), within=GROWTH_S)
        member.wait_until(lambda it: len(it.assignment) == 12)

        assert before < set(member.assignment)


def test_a_missing_topic_is_awaited(
    kafka: EmbeddedKafka, controller: ControllerProcess, published: Published, group: str
) -> None:
    """The group says that it waits, and is at work once somebody creates the topic."""
    servers, topic = kafka.bootstrap_servers, f"{group}-later"
    with Member(
        servers, prefix=controller.prefix, group=group, topics=[topic], member_id="a"
    ) as member:
        published.wait_until(lambda: group in published.groups)
        published.wait_until(lambda: published.groups[group].topics[topic].version > 0)
        assert [True] == [it.awaited for it in published.groups[group].topics.values()]
        assert () == member.assignment

        create_topic(servers, topic, 3)
        published.wait_until(lambda: published.is_stable(group, "a", 3), within=GROWTH_S)
        assert [False] == [it.awaited for it in published.groups[group].topics.values()]


def test_a_topic_of_a_pattern_is_picked_up_when_it_is_created(
    kafka: EmbeddedKafka, controller: ControllerProcess, published: Published, group: str
) -> None:
    """What exists is granted at once, what is created later within seconds; the rest never."""
    servers = kafka.bootstrap_servers
    create_topic(servers, f"{group}-one", 3)
    create_topic(servers, f"other-{group}-one", 5)
    with Member(
        servers, prefix=controller.prefix, group=group, patterns=[f"{group}-*"], member_id="a"
    ) as member:
        published.wait_until(lambda: published.is_stable(group, "a", 3))
        create_topic(servers, f"{group}-two", 4)
        published.wait_until(lambda: published.is_stable(group, "a", 7), within=GROWTH_S)
        member.wait_until(lambda it: len(it.assignment) == 7)

        assert {f"{group}-one", f"{group}-two"} == published.groups[group].topics.keys()
        assert (f"{group}-*",) == published.groups[group].patterns
