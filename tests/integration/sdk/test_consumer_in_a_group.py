"""Consumers in a group, with a real controller: pauses, own positions, and a stuck loop."""

import time
from collections.abc import Callable
from functools import partial
from threading import Thread
from typing import Any

import pytest
from confluent_kafka import Message

from console.embedded.broker import EmbeddedKafka
from tests.builders.application import until
from tests.integration.accounts import PATIENCE_S, Account
from tests.integration.readings import effects_of, fill
from tests.integration.topics import create_topic
from trimtab import Consumer, QueueRef, StuckError

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

QUEUES = 8
EACH = 10
ALL = {(number, offset) for number in range(QUEUES) for offset in range(EACH)}
"""What the first messages are called: their partitions and offsets."""
Arguments = Callable[[str], dict[str, Any]]


def taken(consumer: Consumer, count: int) -> list[Message]:
    """Take so many messages; the last one is in hand then."""
    found: list[Message] = []
    deadline = time.monotonic() + PATIENCE_S
    while len(found) < count:
        assert time.monotonic() < deadline, f"{len(found)} of {count} have come"
        found.extend(filter(None, [consumer.poll(0.1)]))
    return found


def places(messages: list[Message]) -> list[tuple[int, int]]:
    """Where they stand."""
    return [(it.partition() or 0, it.offset() or 0) for it in messages]


def test_a_queue_is_paused_resumed_and_read_again(
    account: Account, arguments: Arguments, topic: str
) -> None:
    """The others go on; nothing of it is missed, and what is asked for again comes again."""
    account.produce(QUEUES * EACH)
    queue = QueueRef(topic, "", 0)
    with Consumer(**arguments("a")) as consumer:
        consumer.member.wait_until(lambda it: len(it.assignment) == QUEUES, PATIENCE_S)
        consumer.pause(queue)
        others = places(taken(consumer, len(ALL) - EACH))
        meanwhile = consumer.poll(0.5)
        consumer.resume(queue)
        rest = places(taken(consumer, EACH))
        consumer.seek(queue, EACH // 2)
        again = places(taken(consumer, EACH // 2))

    assert meanwhile is None
    assert ALL - {(0, it) for it in range(EACH)} == set(others)
    assert [(0, it) for it in range(EACH)] == rest
    assert rest[EACH // 2 :] == again


def test_broadcasting_members_have_positions_of_their_own(
    account: Account, arguments: Arguments
) -> None:
    """Each reads everything, and goes on where it stopped itself."""
    account.produce(QUEUES * EACH)

    def reads(name: str, count: int) -> set[tuple[int, int]]:
        with Consumer(**arguments(name), mode="broadcasting") as consumer:
            messages = taken(consumer, count)
            assert consumer.commit(messages)
        return set(places(messages))

    half = len(ALL) // 2
    of_a, of_b = reads("a", len(ALL)), reads("b", half)
    account.produce(QUEUES)
    new = {(number, EACH) for number in range(QUEUES)}

    assert ALL == of_a
    assert new == reads("a", QUEUES)
    assert ALL - of_b | new == reads("b", half + QUEUES)


def test_what_is_not_committed_by_hand_is_read_by_the_heir(
    account: Account, arguments: Arguments
) -> None:
    """A manual commit is all that counts, whatever was handed out."""
    account.produce(QUEUES * EACH)
    with Consumer(**arguments("a"), commit="manual") as consumer:
        messages = taken(consumer, len(ALL) // 2)
        assert consumer.commit(messages)
        taken(consumer, len(ALL) // 2)
    with Consumer(**arguments("b")) as consumer:
        rest = taken(consumer, len(ALL) - len(messages))
        more = consumer.poll(0.3)

    assert (ALL - set(places(messages)), None) == (set(places(rest)), more)


def test_a_stuck_consumer_gives_up_and_says_so(account: Account, arguments: Arguments) -> None:
    """Others go on with all that it had, also with what it has in hand."""
    account.produce(QUEUES * EACH)
    told: list[Exception] = []

    def be_stuck(heir: Consumer) -> None:
        """Take a message, and come back when others have it."""
        stuck = Consumer(**arguments("a"), max_poll_interval="2s", on_error=told.append)
        with stuck:
            (in_hand,) = places(taken(stuck, 1))
            while places(taken(heir, 1)) != [in_hand]:
                pass
            assert len(heir.assignment) == QUEUES
            assert not stuck.health.ready
            stuck.poll(0)

    with (
        Consumer(**arguments("b")) as heir,
        pytest.raises(StuckError, match="max_poll_interval"),
    ):
        be_stuck(heir)

    assert 1 == len([it for it in told if isinstance(it, StuckError)])


def test_other_topics_are_read_when_they_are_asked_for(
    kafka: EmbeddedKafka, account: Account, arguments: Arguments, topic: str
) -> None:
    """And those before no more: their queues are handed over, with what was done."""
    other = f"{topic}-other"
    create_topic(kafka.bootstrap_servers, other, 2)
    fill(kafka.bootstrap_servers, other)
    account.produce(QUEUES)
    with Consumer(**arguments("a")) as consumer:
        taken(consumer, QUEUES)
        consumer.subscribe([other])
        others = taken(consumer, 2 * 5)
        until(lambda: {it.queue.topic for it in consumer.assignment} == {other})
        account.produce(QUEUES)
        consumer.subscribe([topic])
        again = places(taken(consumer, QUEUES))

    assert {other} == {it.topic() for it in others}
    assert {(number, 1) for number in range(QUEUES)} == set(again)


def test_each_effect_is_there_once_whoever_comes_and_goes(
    kafka: EmbeddedKafka, account: Account, arguments: Arguments, topic: str
) -> None:
    """Fenced by transactions, a commit and what was sent for it are one."""
    options: dict[str, Any] = {"fencing": "transactional", "commit_interval": "100ms"}
    a, b = (Consumer(**arguments(it), **options) for it in "ab")

    def work(consumer: Consumer) -> None:
        with consumer:
            for message in consumer:
                value = (message.value() or b"") + f" {consumer.member.member_id}".encode()
                assert consumer.send(message, effects.topic, value)

    def by(name: bytes) -> bool:
        return any(it.endswith(name) for it in effects.found())

    with effects_of(kafka.bootstrap_servers, topic) as effects:
        for name, consumer in ((b"a", a), (b"b", b)):
            Thread(target=work, args=[consumer], daemon=True).start()
            account.wait_until(partial(by, name), meanwhile=QUEUES)
        a.stop()
        count = 1 + max(account.produce(QUEUES * EACH))
        until(lambda: len(effects.found()) >= count)
        b.stop()
        until(lambda: b.member.state == a.member.state == "ended")

        found = [int(it.split()[0]) for it in effects.found(0.2)]
        assert [*range(count)] == sorted(found)
