"""A group moves between Kafka's own protocol and trimtab while it works, by one command each."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from itertools import pairwise

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from console.errors import ExitCode
from tests.builders.command_line import Run
from tests.integration.controller_process import ControllerProcess
from tests.integration.sdk.moving_workers import QUEUES, Traffic, Worker, member, wait
from tests.integration.topics import PARTITIONS, create_control_topics, create_topic
from trimtab import Consumer as PlainConsumer
from trimtab.moving.wanted_side import WantedSide

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

STEP_S = 2.0
Move = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def move(terminal: Run, group: str) -> Move:
    """Gives the order."""
    return lambda side: terminal("groups", "move", group, side, "--reason", "a test")


def sides(terminal: Run, group: str) -> list[dict[str, object]]:
    """What `trimtab groups sides` says."""
    code, said, _ = terminal("groups", "sides", group, "-o", "json")
    assert code == 0
    found: list[dict[str, object]] = json.loads(said)["sides"]
    return found


def has_read_once(servers: str, group: str, topic: str) -> None:
    """Kafka keeps for days what a group has committed of a topic that it reads no more."""
    create_topic(servers, topic, 1)
    with closing(Consumer({"bootstrap.servers": servers, "group.id": group})) as consumer:
        consumer.commit(offsets=[TopicPartition(topic, 0, 0)], asynchronous=False)


def test_a_group_moves_there_and_back_while_it_works(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str, terminal: Run
) -> None:
    """Nothing is lost, nothing is seen twice, order holds, tokens never go back.

    On each side one more joins, and leaves. Every second one has an event loop.
    """

    def worker(number: int) -> Worker:
        return member(number, kafka.bootstrap_servers, group, topic, controller.prefix)

    def one_more(number: int) -> None:
        workers.append(worker(number))
        with workers[-1].at_work():
            wait(lambda: 2 <= len(workers[-1].queues) and workers[-1].seen != [])

    has_read_once(kafka.bootstrap_servers, group, f"{topic}-once")
    workers = [worker(number) for number in range(2)]
    with ExitStack() as stack:
        for it in workers:
            stack.enter_context(it.at_work())
        wait(lambda: {4} == {len(it.queues) for it in workers})
        traffic = stack.enter_context(Traffic(kafka.bootstrap_servers, topic).flowing())
        for number, side in enumerate(("trimtab", "kafka", "trimtab")):
            moved = f"{group}: {QUEUES} queues are on the side of {side}"
            code, said, _ = terminal("groups", "move", group, side, "--reason", "a test")
            assert (0, moved) == (code, said.splitlines()[0])
            (there,) = [it for it in sides(terminal, group) if it["queues"]]
            assert {"side": side, "queues": QUEUES, "wanted": True} == there
            time.sleep(STEP_S)
            one_more(2 + number)
        traffic.stop()
        wait(lambda: sum(len(it.seen) for it in workers) >= traffic.count)

    assert list(range(traffic.count)) == sorted(it.number for each in workers for it in each.seen)
    for queue in range(QUEUES):
        seen = sorted(it for each in workers for it in each.seen if it.queue == queue)
        assert all(before.number < after.number for before, after in pairwise(seen))
        assert all(before.token <= after.token for before, after in pairwise(seen))


def test_nobody_is_left_behind(kafka: EmbeddedKafka, group: str, topic: str, move: Move) -> None:
    """While somebody subscribes that cannot move, or nobody does, the order is refused."""
    nobody, mistyped = move("trimtab"), move("kafka")
    known = AdminClient({"bootstrap.servers": kafka.bootstrap_servers}).list_consumer_groups()
    plain = Consumer(
        {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "client.id": "old-one"}
    )
    plain.subscribe([topic])
    wait(lambda: plain.poll(0.1) is None and plain.assignment() != [])
    left, back = move("trimtab"), move("kafka")
    plain.close()

    assert (ExitCode.NOT_FOUND, ExitCode.UNHEALTHY) == (nobody[0], left[0])
    assert ExitCode.NOT_FOUND == mistyped[0]
    assert f"{group}.moving" not in {it.group_id for it in known.result().valid}
    assert f"{group} has no members in Kafka" in nobody[2]
    assert "1 of its members in Kafka cannot move: old-one at " in left[2]
    assert back[0] == 0


def test_nobody_who_cannot_move_is_left_on_trimtabs_side(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str, terminal: Run
) -> None:
    """In the last step of a move plain consumers come: they would go on beside Kafka's owners."""
    servers, move = kafka.bootstrap_servers, ("groups", "move", group)
    plain = PlainConsumer(
        servers, group=group, topics=[topic], prefix=controller.prefix, member_id="plain"
    )
    with member(1, servers, group, topic, controller.prefix).at_work() as new:
        wait(lambda: len(new.queues) == QUEUES)
        there = terminal(*move, "trimtab", "--reason", "a test")
        with Worker(plain, manual=False).at_work() as beside:
            wait(lambda: len(beside.queues) == QUEUES // 2)
            code, _, error = terminal(*move, "kafka", "--reason", "a test")
            left = len(beside.queues)
        back = terminal(*move, "kafka", "--reason", "a test")

    assert (0, ExitCode.UNHEALTHY, 0) == (there[0], code, back[0])
    assert f"{group} stays: 1 of its members on trimtab's side cannot move" in error
    assert "would go on with their queues: plain; make each a MovingConsumer first" in error
    assert QUEUES // 2 == left


def test_a_group_stays_where_it_is_while_nobody_would_work_on_the_other_side(
    kafka: EmbeddedKafka,
    group: str,
    topic: str,
    topics_prefix: str,
    terminal: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """There is no controller; afterwards no side is wanted, and the work goes on."""
    servers = kafka.bootstrap_servers
    create_control_topics(servers, topics_prefix, PARTITIONS)
    monkeypatch.setenv("TRIMTAB_TOPICS__PREFIX", topics_prefix)
    with member(1, servers, group, topic, topics_prefix).at_work() as new:
        wait(lambda: len(new.queues) == QUEUES)
        code, _, error = terminal("groups", "move", group, "trimtab", "--reason", "a test")
        found = sides(terminal, group)

    assert ExitCode.UNHEALTHY == code
    assert f"{group} stays: no controller is at work" in error
    assert [False, False] == [it["wanted"] for it in found]


def test_an_old_choice_is_not_obeyed_beside_who_cannot_move(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str, terminal: Run
) -> None:
    """It stays in Kafka when a group went back by a deployment, and a later one begins anew.

    So does the last commit of a queue that has got no message since.
    """
    servers = kafka.bootstrap_servers
    told = [TopicPartition(topic, it, 0, "trimtab:7:") for it in range(QUEUES)]
    with closing(Consumer({"bootstrap.servers": servers, "group.id": group})) as consumer:
        consumer.commit(offsets=told, asynchronous=False)
    with closing(WantedSide({"bootstrap.servers": servers}, group, controller.prefix)) as wanted:
        wanted.choose("trimtab", "long ago")
    old = {"bootstrap.servers": servers, "group.id": group, "client.id": "old-one"}
    plain = Consumer(old | {"partition.assignment.strategy": "range"})
    plain.subscribe([topic])
    wait(lambda: plain.poll(0.1) is None and plain.assignment() != [])
    with member(1, servers, group, topic, controller.prefix).at_work() as new:
        wait(lambda: plain.poll(0.1) is None and len(new.queues) == QUEUES // 2)
        time.sleep(STEP_S)
        beside = sides(terminal, group)
        plain.close()
        moved = {"side": "trimtab", "queues": QUEUES, "wanted": True}
        wait(lambda: moved in sides(terminal, group))

    assert {"side": "trimtab", "queues": 0, "wanted": True} in beside


def test_nobody_is_told_to_stop_what_does_the_work(
    kafka: EmbeddedKafka, controller: ControllerProcess, group: str, topic: str, terminal: Run
) -> None:
    """Until the order is given, consumers that cannot move work beside those that can."""
    old = {"bootstrap.servers": kafka.bootstrap_servers, "group.id": group, "client.id": "old-one"}
    with member(1, kafka.bootstrap_servers, group, topic, controller.prefix).at_work() as new:
        wait(lambda: len(new.queues) == QUEUES)
        plain = Consumer(old | {"partition.assignment.strategy": "range"})
        plain.subscribe([topic])
        wait(lambda: plain.poll(0.1) is None and plain.assignment() != [])
        _, said, _ = terminal("doctor", group, "-o", "json")
        back = terminal("groups", "move", group, "kafka", "--reason", "a test")
        plain.close()

    (found,) = [it for it in json.loads(said)["findings"] if it["kind"] == "foreign members"]
    assert "1 of its consumers on Kafka's side cannot move: old-one at " in found["finding"]
    assert found["remedy"].startswith("nothing is read twice; make each a MovingConsumer")
    assert back[:2] == (0, f"{group}: {QUEUES} queues are on the side of kafka\n")
