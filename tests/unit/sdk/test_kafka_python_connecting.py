"""Making a client of kafka-python: what a broker says is heard, and wrong options are told."""

import socket

import pytest
from kafka import KafkaProducer
from kafka.errors import KafkaConfigurationError, KafkaConnectionError
from kafka.net.transport import KafkaTCPTransport

from trimtab.transports.kafka_python_connecting import connected, heard_out
from trimtab.transports.link import Link


def test_an_option_that_is_refused_late_is_not_taken_for_a_silent_kafka() -> None:
    """The library makes its network client before it looks at this one."""
    options = {
        "bootstrap_servers": "127.0.0.1:1",
        "api_version": (2, 8),  # or it would ask Kafka first
        "transactional_id": "t",
        "enable_idempotence": False,
    }
    link = Link.of_kafka_python("127.0.0.1:1", options)

    with pytest.raises(KafkaConfigurationError, match="transactional_id"):
        connected(KafkaProducer, options, link)


def test_what_comes_with_the_end_of_a_connection_is_read() -> None:
    """As an answer that refuses a password does."""
    ours, brokers = socket.socketpair()
    with ours:
        brokers.sendall(b"refused")
        brokers.close()
        transport = heard_out(KafkaTCPTransport(None, ours))
        first, error = transport._sock_recv()  # noqa: SLF001 - what the library itself calls
        rest, end = transport._sock_recv()  # noqa: SLF001 - as above

    assert (b"refused", None, b"") == (first, error, rest)
    assert isinstance(end, KafkaConnectionError)
