"""Where queues begin while one broker says nothing, by librdkafka's own cluster for tests."""

import ctypes
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import files

import pytest
from confluent_kafka import admin

from tests.builders.application import until
from tests.builders.half_written import HalfWritten
from trimtab.consuming.choice import Start
from trimtab.consuming.confluent import ConfluentClient
from trimtab.consuming.confluent_apart import found_apart
from trimtab.consuming.contract import Ends, Wish
from trimtab.consuming.offsets import GroupOffsets
from trimtab.protocol import QueueRef

BROKERS, SILENT, FOR_EVER_MS = 3, 2, 600_000
QUEUES = [QueueRef("orders", "", number) for number in range(2 * BROKERS)]
LED_BY_OTHERS = {it for it in QUEUES if 1 + it.id % BROKERS != SILENT}


@pytest.fixture
def servers() -> Iterator[str]:
    """Three brokers, of which one takes connections and never answers."""
    (library,) = [it for it in files("confluent-kafka") or () if it.name.startswith("librdkafka-")]
    kafka = ctypes.CDLL(str(library.locate()))
    handle, cluster = ctypes.c_void_p, ctypes.c_void_p
    kafka.rd_kafka_conf_new.restype = ctypes.c_void_p
    kafka.rd_kafka_new.restype = handle
    kafka.rd_kafka_mock_cluster_new.restype = cluster
    kafka.rd_kafka_mock_cluster_bootstraps.restype = ctypes.c_char_p
    said = ctypes.create_string_buffer(512)
    settings = ctypes.c_void_p(kafka.rd_kafka_conf_new())
    kafka.rd_kafka_conf_set(settings, b"log_level", b"0", said, len(said))
    owner = handle(kafka.rd_kafka_new(0, settings, said, len(said)))
    brokers = cluster(kafka.rd_kafka_mock_cluster_new(owner, BROKERS))
    kafka.rd_kafka_mock_topic_create(brokers, b"orders", len(QUEUES), 1)
    for it in QUEUES:
        leader = 1 + it.id % BROKERS
        kafka.rd_kafka_mock_partition_set_leader(brokers, b"orders", it.id, leader)
    kafka.rd_kafka_mock_broker_set_rtt(brokers, SILENT, FOR_EVER_MS)
    yield kafka.rd_kafka_mock_cluster_bootstraps(brokers).decode()
    kafka.rd_kafka_mock_cluster_destroy(brokers)
    kafka.rd_kafka_destroy(owner)


def test_without_a_client_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is just replacing the files of its certificate."""
    made = HalfWritten(admin.AdminClient)
    made({})  # so the next one is the second
    monkeypatch.setattr(admin, "AdminClient", made)

    assert {} == found_apart({"bootstrap.servers": "127.0.0.1:1"}, QUEUES, "earliest", 0.1)
    assert 2 == made.asked


@pytest.mark.slow
@pytest.mark.parametrize("start", ["earliest", "latest", datetime(2026, 1, 1, tzinfo=UTC)])
def test_a_broker_that_says_nothing_keeps_no_queue_of_others_from_being_read(
    servers: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A consumer's own question has no answer at all then; the upkeep asks again and again."""
    monkeypatch.setattr("trimtab.consuming.offsets._ASK_S", 1.0)
    client = ConfluentClient(Wish(servers, "billing", {"log_level": 0}, {}, 1.0))
    told: list[Ends] = []

    def is_found() -> bool:
        told.append(GroupOffsets(client, start).first(QUEUES))
        return told[-1].at == dict.fromkeys(LED_BY_OTHERS, 0)

    until(is_found)
    client.close()

    assert "imed out" in str(told[-1].refused)
