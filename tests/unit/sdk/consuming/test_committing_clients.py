"""The client that commits: one that has answered is kept, another one cannot always be made.

How long a commit takes with a Kafka that never answers is tried in ``test_commits``.
"""

from collections.abc import Collection
from concurrent.futures import Future
from typing import Any, Final

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from tests.builders.half_written import HalfWritten
from tests.builders.sessions import GROUP, queue
from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab import CommitError, Grant
from trimtab.callbacks import Ownership
from trimtab.consuming.assembly import writer_of
from trimtab.consuming.commits import Commits, Places
from trimtab.consuming.contract import Wish

ONE: Final = Grant(queue(0), 1, position=7)
WISH: Final = Wish("127.0.0.1:1", GROUP, {"log_level": 0}, {}, 2.0)


def owned(grants: Collection[Grant]) -> Ownership:
    """All of them."""
    return Ownership(frozenset(grants), 0.0, "0-life")


class Answering(AdminClient):
    """A client of its own kind, but that its answers are there at once."""

    made = 0

    def __init__(self, settings: dict[str, Any]) -> None:
        Answering.made += 1
        super().__init__(settings)

    def alter_consumer_group_offsets(  # type: ignore[override]  # only as it is used
        self, asked: list[ConsumerGroupTopicPartitions], **_: object
    ) -> dict[str, Future[ConsumerGroupTopicPartitions]]:
        """Take everything."""
        answer = Future[ConsumerGroupTopicPartitions]()
        answer.set_result(asked[0])
        return {asked[0].group_id: answer}


def test_who_has_answered_commits_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A new client has to connect first. One that has nothing to do is falsy: its length is 0."""
    monkeypatch.setattr("trimtab.consuming.confluent_writer.AdminClient", Answering)
    written: list[Places] = []
    commits, before = Commits(writer_of("confluent", WISH), owned, written.append), Answering.made
    commits.write(lambda: {ONE: 7})
    commits.write(lambda: {ONE: 8})

    assert ([{ONE: 7}, {ONE: 8}], before) == (written, Answering.made)


@pytest.mark.parametrize("by_hand", [True, False])
def test_who_can_have_no_client_to_commit_goes_on(
    monkeypatch: pytest.MonkeyPatch,
    by_hand: bool,  # noqa: FBT001 - by pytest
) -> None:
    """Whatever was not answered needs a new one, and its files are just being replaced."""
    made = HalfWritten(Answering)
    monkeypatch.setattr("trimtab.consuming.confluent_writer.AdminClient", made)
    writer, reading = writer_of("confluent", WISH), InMemory()
    reading.handover.commits.write_by(writer)  # type: ignore[union-attr]  # they are no transactions
    grant = reading.grant(1)
    reading.offer(0, 1)
    reading.upkeep.look()
    message = reading.taken()
    writer.drop()
    if by_hand:
        with pytest.raises(CommitError, match="key values mismatch"):
            reading.parts.commit([message])
        assert reading.parts.commit([message])
    else:
        reading.take(0.05)
        reading.take(0.05)
        assert {grant.queue: 2} == reading.handover.on_revoked((grant,))
    assert 2 + by_hand == made.asked
