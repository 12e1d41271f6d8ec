"""A member of the demo: a process that really consumes, as an application of the SDK would.

`python -m console.demo.worker`; started by ``stage``. The SDK's ``Member`` says which queues are
ours, its ``ConsumerBinding`` reads them with an ordinary consumer, and each message takes a
millisecond of "work". Every start, stop and message is noted in the journal at the moment it
happens.
"""

import argparse
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from confluent_kafka import Message

from console.demo.journal import Ending, JournalWriter, Processed, Started, Stopped, now
from trimtab import Grant, Member, QueueRef
from trimtab.kafka import ConsumerBinding

_WORK_S = 0.001
"""What a message costs: the members of the demo are busy for a twentieth of their time."""
_COMMIT_INTERVAL_S = 1.0
"""What a SIGKILL may repeat."""
_POLL_S = 0.1
"""How late SIGTERM may be noticed when no messages come."""


class WitnessedBinding(ConsumerBinding):
    """Notes when it starts and stops."""

    def __init__(self, settings: Mapping[str, Any], name: str, journal: JournalWriter) -> None:
        super().__init__(settings, commit_interval=_COMMIT_INTERVAL_S)
        self._name = name
        self._journal = journal
        self._busy_until: dict[int, int] = {}
        """When the last message of each queue was done."""

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Start; noted first, so that no message is done before its queue has started."""
        tokens = tuple((grant.queue.id, grant.token) for grant in grants)
        self._journal.note(Started(now(), self._name, tokens))
        super().on_assigned(grants)

    def on_revoked(self, grants: tuple[Grant, ...]) -> Mapping[QueueRef, int | None]:
        """Stop, and say where."""
        with self._stopping(grants, "released"):
            return super().on_revoked(grants)

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop at once."""
        with self._stopping(grants, "lost"):
            super().on_lost(grants)

    def process(self, message: Message) -> None:
        """Work on a message, and be done with it."""
        time.sleep(_WORK_S)
        queue, offset = message.partition() or 0, message.offset() or 0
        self._busy_until[queue] = now()
        self._journal.note(Processed(self._busy_until[queue], self._name, queue, offset))
        self.done(message)

    @contextmanager
    def _stopping(self, grants: tuple[Grant, ...], ending: Ending) -> Iterator[None]:
        """Note the moment after which the queues were at rest: the commit is part of their rest."""
        told = now()
        yield
        queues = tuple(grant.queue.id for grant in grants)
        stopped = max(told, *(self._busy_until.get(queue, 0) for queue in queues))
        self._journal.note(Stopped(stopped, self._name, queues, ending))


def consume(member: Member, binding: WitnessedBinding) -> None:
    """Work until SIGTERM, and then until heirs have taken over."""
    signal.signal(signal.SIGTERM, lambda *_: member.leave())
    with member:
        while member.state not in ("ended", "failed"):
            message = binding.poll(_POLL_S)
            if message is not None and message.error() is None:
                binding.process(message)


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
    settings = {"bootstrap.servers": options.bootstrap_servers, "group.id": options.group}
    with (
        JournalWriter(options.journal) as journal,
        WitnessedBinding(settings, options.member, journal) as binding,
    ):
        member = Member(
            options.bootstrap_servers,
            group=options.group,
            topics=[options.topic],
            member_id=options.member,
            session_timeout=options.session_timeout,
            binding=binding,
        )
        consume(member, binding)


if __name__ == "__main__":
    main()
