"""Kafka goes away and comes back (faults F1 and F2): what members do meanwhile, and afterwards.

There is no controller; whoever joins is answered by hand, at once.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.sessions import GROUP, orders, queue
from tests.integration.test_member import (
    EVERY_CLIENT,
    PARTITION,
    PATIENCE_S,
    create_topics,
    publish,
    until,
)
from trimtab import Grant, Member, TransportError
from trimtab.protocol import (
    ASSIGNMENTS,
    MEMBERS,
    Join,
    decode,
    encode,
    member_key,
)
from trimtab.session.fencing import within
from trimtab.transports import Client

pytestmark = [
    pytest.mark.kafka,
    # kafka-python 3.0 reads its schemas in a way that Python 3.11 deprecates.
    pytest.mark.filterwarnings("ignore:(read|open)_text is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `swept`
]

FENCED_MS = 10_000
"""The session of who is cut off: the machine may pause for two seconds, and it is still in time."""
SESSION_S = FENCED_MS / 1_000
FROZEN_S = 12.0
"""Longer than a broker's own session (9 s), so that it leads its partitions under a new epoch."""
Away = Callable[[EmbeddedKafka, Callable[[], object]], EmbeddedKafka]


def restarted(kafka: EmbeddedKafka, noticed: Callable[[], object]) -> EmbeddedKafka:
    """Stop Kafka until that is noticed, and start it anew at the same place."""
    port = int(kafka.bootstrap_servers.rsplit(":")[-1])
    home = kafka.instance.directory.parent
    kafka.stop()
    noticed()
    return EmbeddedKafka(home, port=port).start()


def frozen(kafka: EmbeddedKafka, noticed: Callable[[], object]) -> EmbeddedKafka:
    """Freeze Kafka until that is noticed, and for as long as it takes to lose its leaderships."""
    broker = kafka.instance.running()
    assert broker is not None
    os.kill(broker.pid, signal.SIGSTOP)
    try:
        time.sleep(FROZEN_S)
        noticed()
    finally:
        os.kill(broker.pid, signal.SIGCONT)
    return kafka


@contextmanager
def answered(servers: str) -> Iterator[list[str]]:
    """Give queue 0 to each life that joins, as soon as its join is in the log; list the lives."""
    lives: list[str] = []
    over = threading.Event()

    def answer() -> None:
        consumer = Consumer({"bootstrap.servers": servers, "group.id": "answers", "log_level": 0})
        consumer.assign([TopicPartition(f"t.{MEMBERS.name}", PARTITION, 0)])
        while not over.is_set():
            message = consumer.poll(0.1)
            if message is None or message.error() is not None:
                continue
            join = decode(MEMBERS, message.value())
            if isinstance(join, Join) and join.incarnation not in lives:
                lives.append(join.incarnation)
                epoch = len(lives)
                told = orders(
                    epoch, member=join.member, incarnation=join.incarnation, hold=[(0, epoch)]
                ).model_copy(
                    update={
                        "session_timeout_ms": FENCED_MS,
                        "heartbeat_interval_ms": FENCED_MS // 3,
                    }
                )
                key = member_key(GROUP, join.member)
                publish(servers, f"t.{ASSIGNMENTS.name}", key, encode(told))
        consumer.close()

    thread = threading.Thread(target=answer)
    thread.start()
    try:
        yield lives
    finally:
        over.set()
        thread.join()


@EVERY_CLIENT
@pytest.mark.parametrize("away", [frozen, restarted])
def test_a_member_fences_itself_and_works_again_when_kafka_is_back(
    tmp_path: Path, client: Client, away: Away
) -> None:
    """It stops in time, works again within a session of the return, and goes on: once."""
    begun: list[tuple[float, Grant]] = []
    lost: list[float] = []
    troubles: list[Exception] = []
    with EmbeddedKafka(tmp_path, port=0) as kafka:
        servers = kafka.bootstrap_servers
        create_topics(servers, "t.")
        member = Member(
            servers,
            group=GROUP,
            topics=["orders"],
            prefix="t.",
            client=client,
            session_timeout=SESSION_S,
            on_assigned=lambda grants: begun.extend((time.monotonic(), it) for it in grants),
            on_lost=lambda _: lost.append(time.monotonic()),
            on_error=troubles.append,
        )
        with answered(servers) as lives, member:
            member.wait_until(lambda it: it.assignment, PATIENCE_S)
            time.sleep(SESSION_S)  # beats and what they prove keep it alive beyond one session
            before = member.assignment
            begun.clear()
            gone = time.monotonic()
            back = away(kafka, lambda: until(lambda: lost))
            returned = time.monotonic()
            try:
                until(lambda: begun)
                after = len(lives)
                time.sleep(SESSION_S + 1)  # it would be lost after four fifths of that
                assert [Grant(queue(), after)] == [*member.assignment]
                assert [Grant(queue(), after)] == [it for _, it in begun]
                assert (after, 1) == (len(lives), len(lost))
                member.stop("0s")
            finally:
                back.stop()

    assert (Grant(queue(), 1),) == before
    # The last beat was taken at most an interval before the broker went, or while it did.
    patience_s, interval_s = within(FENCED_MS) / 1_000, FENCED_MS / 3_000
    assert gone - interval_s + patience_s - 1.0 < lost[0] < gone + SESSION_S + 3.0
    assert begun[0][0] < returned + SESSION_S
    assert all(isinstance(trouble, TransportError) for trouble in troubles)
