"""A member of the demo: a process that really consumes, as an application of the SDK would.

`python -m console.demo.worker`; started by ``stage``. The SDK's ``Consumer`` reads what is ours,
and each message takes a millisecond of "work". Every start, stop and message is noted in the
journal at the moment it happens.
"""

import argparse
import time
from pathlib import Path

from confluent_kafka import Message

from console.demo.journal import Ending, JournalWriter, Processed, Started, Stopped, now
from trimtab import Consumer, Grant

_WORK_S = 0.001
"""What a message costs: the members of the demo are busy for a twentieth of their time."""
_COMMIT_INTERVAL_S = 1.0
"""What a SIGKILL may repeat."""


class Witness:
    """Notes when queues start and stop, and what is done between."""

    def __init__(self, name: str, journal: JournalWriter) -> None:
        self._name = name
        self._journal = journal

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Start; told before the first message, so none is done before its queue has started."""
        tokens = tuple((grant.queue.id, grant.token) for grant in grants)
        self._journal.note(Started(now(), self._name, tokens))

    def on_revoked(self, grants: tuple[Grant, ...]) -> None:
        """Stop: the commit, which comes after this, is part of their rest."""
        self._stopped(grants, "released")

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop at once."""
        self._stopped(grants, "lost")

    def process(self, message: Message) -> None:
        """Work on a message."""
        time.sleep(_WORK_S)
        queue, offset = message.partition() or 0, message.offset() or 0
        self._journal.note(Processed(now(), self._name, queue, offset))

    def _stopped(self, grants: tuple[Grant, ...], ending: Ending) -> None:
        queues = tuple(grant.queue.id for grant in grants)
        self._journal.note(Stopped(now(), self._name, queues, ending))


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
    with JournalWriter(options.journal) as journal:
        witness = Witness(options.member, journal)
        with Consumer(
            options.bootstrap_servers,
            group=options.group,
            topics=[options.topic],
            member_id=options.member,
            session_timeout=options.session_timeout,
            commit_interval=_COMMIT_INTERVAL_S,
            on_assigned=witness.on_assigned,
            on_revoked=witness.on_revoked,
            on_lost=witness.on_lost,
        ) as consumer:
            for message in consumer:
                witness.process(message)


if __name__ == "__main__":
    main()
