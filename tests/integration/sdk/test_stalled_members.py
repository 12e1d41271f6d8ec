"""A client of librdkafka that does nothing more (fault H15), where nobody would ask anything of it.

As in `test_stalled_clients`, it is kept from its work behind our back.
"""

import time

import pytest
from confluent_kafka import Consumer, Producer

from console.embedded.broker import EmbeddedKafka
from tests.builders.sessions import GROUP, MINE, queue
from tests.integration.readings import Reading
from tests.integration.topics import create_control_topics
from trimtab import Grant, QueueRef
from trimtab.consuming.confluent import ConfluentClient
from trimtab.guard_lines import Post
from trimtab.holdings import Holdings
from trimtab.post import Watch, stand
from trimtab.protocol import HolderRef
from trimtab.transports.confluent import ConfluentTransport

pytestmark = pytest.mark.kafka

PATIENCE_MS = 30_000
SOON_S = PATIENCE_MS / 2_000
NOWHERE = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}


def test_a_guard_whose_client_writes_nothing_releases_by_a_new_one(
    kafka: EmbeddedKafka, topics_prefix: str
) -> None:
    """Long before silence would tell."""
    servers, watch, made = kafka.bootstrap_servers, Watch(), list[ConfluentTransport]()
    create_control_topics(servers, topics_prefix, 1)

    def make() -> ConfluentTransport:
        made.append(ConfluentTransport(servers, topics_prefix, PATIENCE_MS, {}))
        if len(made) == 1:
            made[0]._producer = Producer(NOWHERE)  # noqa: SLF001 - behind its back
        return made[-1]

    held = HolderRef(*queue(), 3, 4)
    watch.holdings = Holdings(member="m", incarnation=MINE, queues=(held,))
    watch.end(in_good_order=False)
    began = time.monotonic()

    assert stand(Post(servers=servers, group=GROUP, patience_ms=PATIENCE_MS), make, watch)
    assert 2 == len(made)
    assert time.monotonic() - began < SOON_S


def test_a_consumer_begins_what_its_client_gets_no_answer_about(
    kafka: EmbeddedKafka, work: str
) -> None:
    """Nothing is read yet that could stand still."""
    with Reading(kafka.bootstrap_servers, work).running() as reading:
        client = reading.intake.client
        assert isinstance(client, ConfluentClient)
        with reading.intake.turn:
            client._consumer = Consumer({**NOWHERE, "group.id": work})  # noqa: SLF001 - behind its back
        reading.assign(Grant(QueueRef(work, "", 0), 1))
        found = reading.take(5) or reading.take(5)  # as long as two of its waits

        assert [*range(5)] == [it.offset() for it in found]
