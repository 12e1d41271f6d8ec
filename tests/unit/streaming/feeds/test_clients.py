"""A client of Kafka connects again soon, unless its user wants otherwise."""

from types import SimpleNamespace
from typing import cast

import pytest
import structlog
from confluent_kafka import Producer

from streaming.feeds.feed import Config, client_config
from streaming.options import KafkaOptions, Options
from streaming.process.trouble import Trouble

NAME = "reconnect.backoff.max.ms"


def made(given: dict[str, str]) -> Config:
    """What a client is told of a user's settings."""
    kafka = KafkaOptions(bootstrap_servers="kafka:9092", java={}, native=given)
    options = cast("Options", SimpleNamespace(name="trimtab", kafka=kafka))
    return client_config(options, "ticks", Trouble(structlog.get_logger(), "ask"))


@pytest.mark.parametrize(("given", "expected"), [({}, 1_000), ({NAME: "5000"}, "5000")])
def test_a_kafka_that_is_back_is_soon_noticed(given: dict[str, str], expected: object) -> None:
    """A pause of librdkafka's ten seconds would be a whole session."""
    assert expected == made(given)[NAME]


def test_who_says_where_pauses_begin_says_where_they_end() -> None:
    """A client with a beginning above our end would be none."""
    config = made({"reconnect.backoff.ms": "2000"})

    Producer(config)
    assert NAME not in config


def test_none_makes_a_topic() -> None:
    """A tick to a topic that was just deleted would bring it back, as the broker makes topics."""
    assert made({"allow.auto.create.topics": "true"})["allow.auto.create.topics"] is False
