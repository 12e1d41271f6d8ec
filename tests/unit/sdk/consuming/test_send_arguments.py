"""What may be sent with a commit is known at once, and what confluent-kafka would not take."""

from typing import Any

import pytest
from confluent_kafka import KafkaException, Producer

from trimtab import ConfigurationError
from trimtab.consuming.send_arguments import checked

LARGEST = 1_000_000
GOOD: list[dict[str, Any]] = [
    {},
    {"value": None, "key": "é"},
    {"headers": {"a": "x", "b": None}, "partition": 3},
    {"partition": -1, "timestamp": -1},
    {"headers": [("a", b"x"), ("a", "y")], "timestamp": 1_767_225_600_000},
]
BAD: list[dict[str, Any]] = [
    {"partition": None},
    {"partition": "1"},
    {"partition": 2**40},
    {"timestamp": 1.5},
    {"headers": {"a": 1}},
    {"headers": 3},
    {"headers": (("a", b"x"),)},
    {"headers": [("a", "\ud800")]},
    {"value": "\ud800"},
    {"value": 7},
    {"value": bytes(LARGEST + 1)},
    {"topic": 3},
    {"topic": "a\0b"},
    {"value": bytes(LARGEST - 5)},
]


def produced(arguments: dict[str, Any]) -> None:
    """Have the client itself take it, and never send it."""
    producer = Producer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    try:
        producer.produce(**arguments)
    finally:
        producer.purge()


@pytest.mark.parametrize("more", GOOD)
def test_what_the_client_takes_is_taken(more: dict[str, Any]) -> None:
    """With all that a message may have."""
    arguments = {"topic": "t", "value": "v", "key": None, **more}
    produced(checked(arguments, LARGEST))


@pytest.mark.parametrize("more", BAD)
def test_what_the_client_refuses_is_refused_before(more: dict[str, Any]) -> None:
    """Later it would keep its queue from every commit, and end the consumer at a hand-over."""
    arguments = {"topic": "t", "value": "v", "key": None, **more}
    with pytest.raises(ConfigurationError, match=r"^send: "):
        checked(arguments, LARGEST)
    with pytest.raises((TypeError, ValueError, OverflowError, KafkaException)):
        produced(arguments)


@pytest.mark.parametrize("headers", [{"a": "x"}, [("a", "x")]])
def test_what_was_checked_is_what_is_sent(headers: Any) -> None:  # noqa: ANN401 - of either form
    """The application may use its headers again, for the next message."""
    sent = checked({"topic": "t", "value": "v", "key": None, "headers": headers}, LARGEST)
    headers.clear()

    assert [("a", "x")] == sent["headers"]
