"""The side that is wanted of a group outlives Kafka's memory of it."""

from contextlib import closing

import pytest
from confluent_kafka.admin import AdminClient

from console.embedded.broker import EmbeddedKafka
from tests.integration.topics import PARTITIONS, create_control_topics
from trimtab.moving.wanted_side import WantedSide

pytestmark = pytest.mark.kafka

PATIENCE_S = 60.0


def test_a_choice_that_kafka_has_forgotten_is_written_again(
    kafka: EmbeddedKafka, topics_prefix: str, group: str
) -> None:
    """It is old after a week, and a partition that is added then has to move as well."""
    create_control_topics(kafka.bootstrap_servers, topics_prefix, PARTITIONS)
    servers = {"bootstrap.servers": kafka.bootstrap_servers}
    forgotten = AdminClient({**servers}).delete_consumer_groups
    with (
        closing(WantedSide(servers, group, topics_prefix)) as working,
        closing(WantedSide(servers, group, topics_prefix)) as newcomer,
    ):
        working.choose("trimtab", "to trimtab")
        assert "trimtab" == working.read()
        forgotten([f"{group}.moving"])[f"{group}.moving"].result(PATIENCE_S)

        assert newcomer.read() is None
        assert ("trimtab", "trimtab") == (working.read(), newcomer.read())
