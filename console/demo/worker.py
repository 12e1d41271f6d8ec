"""A member of the demo: a process that really consumes, as an application of the SDK would.

`python -m console.demo.worker`; started by ``stage``. The SDK's ``Member`` says which queues are
ours, a plain consumer with manual assignment reads them, and each message takes a millisecond of
"work". Positions are committed once a second and whenever a queue is given up, and are handed to
the heir with the release; so a hand-over repeats nothing, and a SIGKILL repeats a second at most.

Its one rule: the lock. The SDK calls from a thread of its own, so between the last message of a
queue and its `Stopped` entry there must be no gap in which the main thread could take another.
"""

import argparse
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from threading import Lock, Thread

from confluent_kafka import OFFSET_INVALID, Consumer, TopicPartition

from console.demo.journal import Ending, JournalWriter, Processed, Started, Stopped, now
from trimtab import Grant, Member, QueueRef

_WORK_S = 0.001
"""What a message costs: the members of the demo are busy for a twentieth of their time."""
_COMMIT_INTERVAL_S = 1.0
"""What a SIGKILL may repeat."""
_POLL_S = 0.1
"""How late SIGTERM may be noticed when no messages come."""
_DRAIN_TIMEOUT = "30s"
"""Heirs take over within a batch or two; if the controller is away, go without them."""


class Worker:
    """The queues that are worked on, and the consumer that reads them."""

    def __init__(self, name: str, topic: str, consumer: Consumer, journal: JournalWriter) -> None:
        self._name = name
        self._topic = topic
        self._consumer = consumer
        self._journal = journal
        self._lock = Lock()
        self._positions: dict[int, int] = {}
        """The offset to process next, of each queue that is ours."""
        self._committed_at = time.monotonic()

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Start where the last owner stopped, or where it committed if it could not say."""
        starts = {
            grant.queue.id: self._committed(grant.queue.id)
            if grant.position is None
            else grant.position
            for grant in grants
        }
        with self._lock:
            self._consumer.incremental_assign(self._at(starts))
            self._positions |= starts
            tokens = tuple((grant.queue.id, grant.token) for grant in grants)
            self._journal.note(Started(now(), self._name, tokens))

    def on_revoked(self, grants: tuple[Grant, ...]) -> Mapping[QueueRef, int]:
        """Stop, commit, and say where."""
        reached = self._drop(grants, "released")
        self._consumer.commit(offsets=self._at(reached), asynchronous=False)
        return {grant.queue: reached[grant.queue.id] for grant in grants}

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop. Others may be at work already, so nothing is committed."""
        self._drop(grants, "lost")

    def work(self) -> None:
        """Process one message, if there is one, and commit when it is time."""
        message = self._consumer.poll(_POLL_S)
        with self._lock:
            if message is not None and message.error() is None:
                self._process(message.partition() or 0, message.offset() or 0)
            if time.monotonic() - self._committed_at >= _COMMIT_INTERVAL_S and self._positions:
                self._consumer.commit(offsets=self._at(self._positions), asynchronous=True)
                self._committed_at = time.monotonic()

    def _process(self, queue: int, offset: int) -> None:
        if self._positions.get(queue) != offset:
            return  # fetched before the queue was given up
        time.sleep(_WORK_S)
        self._journal.note(Processed(now(), self._name, queue, offset))
        self._positions[queue] = offset + 1

    def _drop(self, grants: Iterable[Grant], ending: Ending) -> dict[int, int]:
        queues = tuple(grant.queue.id for grant in grants)
        with self._lock:
            self._journal.note(Stopped(now(), self._name, queues, ending))
            reached = {queue: self._positions.pop(queue) for queue in queues}
            self._consumer.incremental_unassign(self._at(reached))
        return reached

    def _committed(self, queue: int) -> int:
        (found,) = self._consumer.committed([TopicPartition(self._topic, queue)])
        return 0 if found.offset == OFFSET_INVALID else found.offset

    def _at(self, positions: Mapping[int, int]) -> list[TopicPartition]:
        return [TopicPartition(self._topic, queue, offset) for queue, offset in positions.items()]


def consume(member: Member, worker: Worker) -> None:
    """Work until SIGTERM, and then until heirs have taken over."""
    told_to_leave = False

    def leave(*_: object) -> None:
        nonlocal told_to_leave
        told_to_leave = True

    signal.signal(signal.SIGTERM, leave)
    member.start()
    leaving: Thread | None = None
    while member.state not in ("ended", "failed"):
        worker.work()
        if told_to_leave and leaving is None:
            leaving = Thread(target=member.stop, args=(_DRAIN_TIMEOUT,))
            leaving.start()
    if member.failure is not None:
        raise member.failure
    if leaving is not None:
        leaving.join()


def main() -> None:
    """Read the arguments and consume."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--group", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--member", required=True)
    parser.add_argument("--session-timeout-ms", required=True, type=int)
    parser.add_argument("--journal", required=True, type=Path)
    options = parser.parse_args()
    consumer = Consumer(
        {
            "bootstrap.servers": options.bootstrap_servers,
            "group.id": options.group,
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 100,
        }
    )
    with closing(consumer), JournalWriter(options.journal) as journal:
        worker = Worker(options.member, options.topic, consumer, journal)
        member = Member(
            options.bootstrap_servers,
            group=options.group,
            topics=[options.topic],
            member_id=options.member,
            session_timeout=options.session_timeout_ms / 1000,
            on_assigned=worker.on_assigned,
            on_revoked=worker.on_revoked,
            on_lost=worker.on_lost,
        )
        consume(member, worker)


if __name__ == "__main__":
    main()
