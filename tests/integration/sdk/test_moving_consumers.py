"""`docs/moving-consumers.md`: its programs move a group to trimtab and back, as printed."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from confluent_kafka import Message, Producer
from kafka import KafkaAdminClient, OffsetAndMetadata, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.checkout import text
from tests.builders.examples import PATIENCE_S, Running, here, programs
from tests.integration.controller_process import ControllerProcess
from trimtab import Consumer

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

PAGE = text(Path("docs/moving-consumers.md"))
QUEUES = 8
SOON_S = 20.0
"""Of the rest while all stop and all start: three seconds, and what a busy machine adds."""
KAFKAS_SESSION_S = 45.0
"""So long Kafka's own group waits for a member that asked to join and never heard the answer."""
LATEST = -1
"""As a time, in Kafka's protocol (ListOffsets)."""
Arguments = Callable[[str], dict[str, object]]


class Traffic:
    """Numbers that are produced all the time, and those that a program has printed."""

    def __init__(self, servers: str, topic: str, printed: Path) -> None:
        self.printed = printed
        self._topic = topic
        self._count = 0
        self._producer = Producer({"bootstrap.servers": servers, "log_level": 2})

    def seen(self) -> Counter[int]:
        """How often each number was printed.

        Two programs print into one file: one's number may come between another's and its line end.
        """
        return Counter(map(int, re.findall(r"b'(\d+)'", self.printed.read_text())))

    def flow(self, seconds: float) -> None:
        """Produce for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.produce()
            time.sleep(0.01)

    def produce(self) -> None:
        """Produce one number."""
        self._producer.produce(
            self._topic, value=str(self._count).encode(), partition=self._count % QUEUES
        )
        self._producer.poll(0)
        self._count += 1

    def fill(self, count: int) -> None:
        """Produce so many, to each queue in turn."""
        for _ in range(count):
            self.produce()
        assert self._producer.flush(PATIENCE_S) == 0

    def wait_until_more(self) -> None:
        """Produce until something more is seen."""
        begun, before = time.monotonic(), len(self.seen())
        while len(self.seen()) == before:
            assert time.monotonic() - begun < PATIENCE_S, "nobody works"
            self.flow(0.05)

    def settle(self) -> None:
        """Produce nothing more, and wait until all was seen."""
        assert self._producer.flush(PATIENCE_S) == 0
        deadline = time.monotonic() + PATIENCE_S
        while len(self.seen()) < self._count:
            assert time.monotonic() < deadline, f"{len(self.seen())} of {self._count} were seen"
            time.sleep(0.1)

    def close(self) -> None:
        """Produce nothing more."""
        self._producer.close()


@pytest.fixture
def traffic(kafka: EmbeddedKafka, topic: str, tmp_path: Path) -> Iterator[Traffic]:
    """The traffic of the test's topic."""
    printed = tmp_path / "printed"
    printed.touch()
    with closing(Traffic(kafka.bootstrap_servers, topic, printed)) as traffic:
        yield traffic


@pytest.fixture
def tools(kafka: EmbeddedKafka, group: str, topic: str) -> Iterator["Tools"]:
    """What shows the test's group."""
    with closing(Tools(kafka.bootstrap_servers, group, topic)) as tools:
        yield tools


def test_a_group_moves_to_trimtab_and_back(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str, traffic: Traffic
) -> None:
    """All stop, all start, five times, under traffic: nothing is lost, nothing is seen twice."""
    confluent, kafka_python, (_, asyncio) = (
        programs(PAGE, f"From {client}")
        for client in ("confluent-kafka", "kafka-python", "aiokafka")  # which is not installed here
    )
    rests, stopped_at = list[float](), time.monotonic()
    for program in (*confluent, *kafka_python, asyncio, confluent[0]):
        ours = here(program, kafka.bootstrap_servers, controller.prefix, group, topic)
        with ExitStack() as stack:
            workers = [stack.enter_context(Running(ours, traffic.printed)) for _ in range(2)]
            traffic.wait_until_more()
            rests.append(time.monotonic() - stopped_at)
            traffic.flow(4.0)  # the second one has joined
            if len(rests) == 6:
                traffic.settle()
            stopped_at = time.monotonic()
            assert [0, 0] == [worker.end() for worker in workers]

    assert max(rests[1], rests[3], rests[4]) < SOON_S  # trimtab's
    assert max(rests) < KAFKAS_SESSION_S + SOON_S
    assert {1} == {*traffic.seen().values()}


def test_tools_see_the_right_lag_and_nobody(
    tools: "Tools", traffic: Traffic, arguments: Arguments
) -> None:
    """What tools ask Kafka for: committed offsets and ends are there, and the group is empty."""
    traffic.fill(3 * QUEUES)
    with by_hand(arguments) as consumer:
        messages = taken(consumer, 2 * QUEUES)
        assert consumer.commit(messages)
        during = tools.lag(), tools.who()
        assert consumer.commit(taken(consumer, QUEUES))
        after = tools.lag()

    assert (QUEUES, ("Empty", 0)) == during
    assert 0 == after


def test_a_reset_beside_members_is_taken_and_undone(
    tools: "Tools", traffic: Traffic, arguments: Arguments
) -> None:
    """Kafka sees nobody in the group, so it does not refuse it; members go on where they are."""
    traffic.fill(2 * QUEUES)
    with by_hand(arguments) as consumer:
        assert consumer.commit(taken(consumer, 2 * QUEUES))
        tools.reset()
        reset = tools.lag()
        traffic.fill(QUEUES)
        assert consumer.commit(taken(consumer, QUEUES))
        after = tools.lag()

    assert (2 * QUEUES, 0) == (reset, after)


def by_hand(arguments: Arguments) -> Consumer:
    """A consumer of the test's group, which commits what it is told to."""
    return Consumer(**arguments("a"), commit="manual")  # type: ignore[arg-type]  # plain JSON


def taken(consumer: Consumer, count: int) -> list[Message]:
    """The next messages."""
    found: list[Message] = []
    deadline = time.monotonic() + PATIENCE_S
    while len(found) < count:
        assert time.monotonic() < deadline, f"{len(found)} messages came"
        found.extend(filter(None, [consumer.poll(0.1)]))
    return found


class Tools:
    """What `kafka-consumer-groups.sh` and its like ask Kafka for, and what they make of it.

    By kafka-python: librdkafka has ended a process when it was asked for all offsets of a group.
    """

    def __init__(self, servers: str, group: str, topic: str) -> None:
        self._start = OffsetAndMetadata(0, "", -1)
        self._admin = KafkaAdminClient(bootstrap_servers=servers)
        self._group = group
        self._places = [TopicPartition(topic, number) for number in range(QUEUES)]

    def lag(self) -> int:
        """How many messages are after what is committed."""
        offsets = self._admin.list_group_offsets(self._group)[self._group]
        ends = self._admin.list_partition_offsets(dict.fromkeys(self._places, LATEST))
        assert set(self._places) == set(offsets)
        return sum(ends[it].offset - offsets[it].offset for it in self._places)

    def who(self) -> tuple[str, int]:
        """The state of the group, and how many members it has."""
        described = self._admin.describe_groups([self._group])[self._group]
        return described["group_state"], len(described["members"])

    def reset(self) -> None:
        """Send the group back to the beginning."""
        self._admin.alter_group_offsets(self._group, dict.fromkeys(self._places, self._start))

    def close(self) -> None:
        """Ask nothing more."""
        self._admin.close()
