"""Kafka goes away and comes back (faults F1 and F2): what members do meanwhile, and afterwards.

There is no controller; whoever joins is answered by hand, at once.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition

from console.embedded.broker import EmbeddedKafka
from tests.builders.sessions import GROUP, assignment, queue
from tests.integration.broken_kafka import frozen, restarted
from tests.integration.sdk.test_member import (
    PARTITION,
    PARTITIONS,
    PATIENCE_S,
    opened,
    publish,
    until,
)
from tests.integration.topics import create_control_topics
from trimtab import Grant, Member, TransportError
from trimtab.protocol import (
    ASSIGNMENTS,
    HEARTBEATS,
    MEMBERS,
    Join,
    decode,
    encode,
    member_key,
)
from trimtab.session import Send
from trimtab.session.fencing import within
from trimtab.transports import Client, choose
from trimtab.transports.contract import Delivered, Transport, Undelivered

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # see `sweep`
]

FENCED_MS = 10_000
"""The session of who is cut off: the machine may pause for two seconds, and it is still in time. It
fences itself after eight, when a broker that hangs has long lost its partitions: that takes three,
and so it comes back as a new leader."""
SESSION_S = FENCED_MS / 1_000
CLIENTS: tuple[Client, ...] = ("confluent", "kafka-python")
QUEUES: dict[str, int] = {client: number for number, client in enumerate(CLIENTS)}
Away = Callable[[EmbeddedKafka, Callable[[], object]], EmbeddedKafka]


class Worker:
    """A member that notes what it begins and loses, and when; each has a queue of its own."""

    def __init__(self, servers: str, client: Client) -> None:
        self.begun: list[tuple[float, Grant]] = []
        self.lost: list[float] = []
        self.troubles: list[Exception] = []
        self.queue = QUEUES[client]
        self.member = Member(
            servers,
            group=GROUP,
            topics=["orders"],
            member_id=client,
            prefix="t.",
            client=client,
            session_timeout=SESSION_S,
            on_assigned=lambda grants: self.begun.extend((time.monotonic(), it) for it in grants),
            on_lost=lambda _: self.lost.append(time.monotonic()),
            on_error=self.troubles.append,
        )

    def holds(self, life: int) -> list[Grant]:
        """What it is told to work on in its so manieth life."""
        return [Grant(queue(self.queue), life)]


@contextmanager
def answered(servers: str) -> Iterator[dict[str, list[str]]]:
    """Give its queue to each life that joins, as soon as that is in the log; list the lives."""
    lives: dict[str, list[str]] = {client: [] for client in CLIENTS}
    over = threading.Event()
    settings = {
        "bootstrap.servers": servers,
        "group.id": "answers",
        "enable.auto.commit": False,
        "reconnect.backoff.max.ms": 500,
        "log_level": 0,
    }

    def answer() -> None:
        consumer = Consumer(settings)
        consumer.assign([TopicPartition(f"t.{MEMBERS.name}", PARTITION, 0)])
        while not over.is_set():
            message = consumer.poll(0.1)
            if message is None or message.error() is not None:
                continue
            join = decode(MEMBERS, message.value())
            if isinstance(join, Join) and join.incarnation not in lives[join.member]:
                lives[join.member].append(join.incarnation)
                epoch = len(lives[join.member])
                told = assignment(
                    epoch,
                    member=join.member,
                    incarnation=join.incarnation,
                    hold=[(QUEUES[join.member], epoch)],
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


def test_a_member_fences_itself_and_works_again_when_kafka_is_back(tmp_path: Path) -> None:
    """It stops in time, works again within a session of the return, and goes on: once.

    Whichever way it speaks to Kafka, and whether Kafka hangs or is gone.
    """
    with ExitStack() as running:
        kafka = EmbeddedKafka(tmp_path, port=0).start()
        running.callback(lambda: kafka.stop())  # noqa: PLW0108 - whichever is the last by then
        servers = kafka.bootstrap_servers
        create_control_topics(servers, "t.", PARTITIONS)
        lives = running.enter_context(answered(servers))
        workers = [Worker(servers, client) for client in CLIENTS]
        for it in workers:
            running.enter_context(it.member)
        for it in workers:
            it.member.wait_until(lambda member: member.assignment, PATIENCE_S)

        for away in (frozen, restarted):
            time.sleep(SESSION_S)  # beats and what they prove keep it alive beyond one session
            kafka = outage(kafka, away, workers, lives)
        for it in workers:
            it.member.stop("0s")


def outage(
    kafka: EmbeddedKafka, away: Away, workers: list[Worker], lives: dict[str, list[str]]
) -> EmbeddedKafka:
    """Have Kafka go away and come back, and judge how each has behaved."""
    gone: list[float] = []
    for it in workers:
        assert it.holds(len(lives[it.member.member_id])) == [*it.member.assignment]
        it.begun.clear()
        it.lost.clear()

    def noticed() -> None:
        gone.append(time.monotonic())
        until(lambda: all(it.lost for it in workers))

    going = time.monotonic()
    kafka = away(kafka, noticed)
    returned = time.monotonic()
    until(lambda: all(it.begun for it in workers))
    after = {client: len(of) for client, of in lives.items()}
    time.sleep(SESSION_S + 1)  # it would be lost after four fifths of that

    assert after == {client: len(of) for client, of in lives.items()}
    # The last beat was taken at most an interval before the broker went, or while it did.
    patience_s, interval_s = within(FENCED_MS) / 1_000, FENCED_MS / 3_000
    for it in workers:
        held = it.holds(after[it.member.member_id])
        assert held == [*it.member.assignment]
        assert held == [grant for _, grant in it.begun]
        (lost,) = it.lost
        assert going - interval_s + patience_s - 1.0 < lost < gone[0] + SESSION_S
        assert it.begun[0][0] < returned + SESSION_S
        assert all(isinstance(trouble, TransportError) for trouble in it.troubles)
    return kafka


GIVEN_UP_MS = 3_000
CLOSE_MS = 500


def test_what_was_given_up_stops_nothing_that_comes_later(tmp_path: Path) -> None:
    """A broker dies with a record on its way, and is away until that is given up: others arrive.

    Nor does what cannot be sent any more stop a client that is closed, or leave a thread behind.
    """
    with ExitStack() as running:
        kafka = EmbeddedKafka(tmp_path, port=0).start()
        running.callback(lambda: kafka.stop())  # noqa: PLW0108 - whichever is the last by then
        servers = kafka.bootstrap_servers
        create_control_topics(servers, "t.", PARTITIONS)
        before = set(threading.enumerate())
        clients = [opened(choose(it, servers, "t.", GIVEN_UP_MS, {})) for it in CLIENTS]
        assert [Delivered(1)] * len(clients) == _sent(clients, 1)

        broker = kafka.instance.running()
        assert broker is not None
        os.kill(broker.pid, signal.SIGSTOP)
        for it in clients:
            it.send(_record(2))
        time.sleep(0.5)  # it is on its way
        os.kill(broker.pid, signal.SIGKILL)
        kafka = restarted(kafka, lambda: [_report(it, 2) for it in clients])
        assert [Delivered(3)] * len(clients) == _sent(clients, 3)

        kafka.stop()
        for it in clients:
            it.send(_record(4))
            it.close(CLOSE_MS)
        until(lambda: set(threading.enumerate()) <= before)


def _sent(clients: list[Transport], ticket: int) -> list[Delivered | Undelivered]:
    for it in clients:
        it.send(_record(ticket))
    return [_report(it, ticket) for it in clients]


def _record(ticket: int) -> Send:
    return Send(HEARTBEATS.name, GROUP.encode(), b"{}", ticket)


def _report(client: Transport, ticket: int) -> Delivered | Undelivered:
    """What became of a record."""
    reports: list[Delivered | Undelivered] = []

    def reported() -> bool:
        of_records = [it for it in client.poll(100) if isinstance(it, Delivered | Undelivered)]
        reports.extend(it for it in of_records if it.ticket == ticket)
        return bool(reports)

    until(reported)
    return reports[0]
