"""A client of Kafka connects again soon, unless its user wants otherwise."""

from types import SimpleNamespace
from typing import cast

import pytest
import structlog

from streaming.feeds.feed import client_config
from streaming.options import KafkaOptions, Options
from streaming.process.trouble import Trouble

NAME = "reconnect.backoff.max.ms"


@pytest.mark.parametrize(("given", "expected"), [({}, 1_000), ({NAME: "5000"}, "5000")])
def test_a_kafka_that_is_back_is_soon_noticed(given: dict[str, str], expected: object) -> None:
    """A pause of librdkafka's ten seconds would be a whole session."""
    kafka = KafkaOptions(bootstrap_servers="kafka:9092", java={}, native=given)
    options = cast("Options", SimpleNamespace(name="trimtab", kafka=kafka))

    config = client_config(options, "ticks", Trouble(structlog.get_logger(), "it"))

    assert expected == config[NAME]
