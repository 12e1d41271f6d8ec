"""A member of the demo: a process that really consumes, as an application of the SDK would.

`python -m console.demo.worker`; started by ``stage``. The SDK's ``Member`` says which queues are
ours, its ``ConsumerBinding`` reads them with an ordinary consumer, and each message takes a
millisecond of "work". What is added here is the witness: every start, stop and message is noted in
the journal at the moment it happens.
"""

import argparse
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock, Thread

from confluent_kafka import Consumer

from console.demo.journal import Ending, JournalWriter, Processed, Started, Stopped, now
from trimtab import Grant, Member, QueueRef
from trimtab.kafka import ConsumerBinding

_WORK_S = 0.001
"""What a message costs: the members of the demo are busy for a twentieth of their time."""
_COMMIT_INTERVAL_S = 1.0
"""What a SIGKILL may repeat."""
_POLL_S = 0.1
"""How late SIGTERM may be noticed when no messages come."""


class Witness:
    """Does what the binding does, and notes when."""

    def __init__(self, name: str, binding: ConsumerBinding, journal: JournalWriter) -> None:
        self._name = name
        self._binding = binding
        self._journal = journal
        self._busy_until: dict[int, int] = {}
        """When the last message of each queue was done."""
        self._starting = Lock()
        """The first message of a queue may be done before its start is noted: it has to wait."""

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Start."""
        tokens = tuple((grant.queue.id, grant.token) for grant in grants)
        with self._starting:
            self._binding.on_assigned(grants)
            self._journal.note(Started(now(), self._name, tokens))

    def on_revoked(self, grants: tuple[Grant, ...]) -> Mapping[QueueRef, int | None]:
        """Stop, and say where."""
        with self._stopping(grants, "released"):
            return self._binding.on_revoked(grants)

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop at once."""
        with self._stopping(grants, "lost"):
            self._binding.on_lost(grants)

    def processed(self, queue: int, offset: int) -> None:
        """A message is done."""
        with self._starting:
            self._busy_until[queue] = now()
            self._journal.note(Processed(self._busy_until[queue], self._name, queue, offset))

    @contextmanager
    def _stopping(self, grants: tuple[Grant, ...], ending: Ending) -> Iterator[None]:
        """Note the moment after which the queues were at rest: the commit is part of their rest."""
        told = now()
        yield
        queues = tuple(grant.queue.id for grant in grants)
        stopped = max(told, *(self._busy_until.get(queue, 0) for queue in queues))
        self._journal.note(Stopped(stopped, self._name, queues, ending))


def consume(member: Member, binding: ConsumerBinding, witness: Witness) -> None:
    """Work until SIGTERM, and then until heirs have taken over."""
    leaving = Thread(target=member.stop)
    # `stop` waits for the heirs, and until they come there is work to do.
    signal.signal(signal.SIGTERM, lambda *_: leaving.start())
    member.start()
    while member.state not in ("ended", "failed"):
        message = binding.poll(_POLL_S)
        if message is not None and message.error() is None:
            time.sleep(_WORK_S)
            witness.processed(message.partition() or 0, message.offset() or 0)
    if member.failure is not None:
        raise member.failure


def main() -> None:
    """Read the arguments and consume."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--group", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--member", required=True)
    parser.add_argument("--session-timeout", required=True)
    parser.add_argument("--journal", required=True, type=Path)
    options = parser.parse_args()
    consumer = Consumer(
        {
            "bootstrap.servers": options.bootstrap_servers,
            "group.id": options.group,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
    )
    with closing(consumer), JournalWriter(options.journal) as journal:
        binding = ConsumerBinding(consumer, commit_interval=_COMMIT_INTERVAL_S)
        witness = Witness(options.member, binding, journal)
        member = Member(
            options.bootstrap_servers,
            group=options.group,
            topics=[options.topic],
            member_id=options.member,
            session_timeout=options.session_timeout,
            on_assigned=witness.on_assigned,
            on_revoked=witness.on_revoked,
            on_lost=witness.on_lost,
        )
        consume(member, binding, witness)


if __name__ == "__main__":
    main()
