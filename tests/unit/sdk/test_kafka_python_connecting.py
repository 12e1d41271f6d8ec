"""What a broker says before it closes is heard, with the real connections of kafka-python."""

import socket

from kafka.errors import KafkaConnectionError
from kafka.net.transport import KafkaTCPTransport

from trimtab.transports.kafka_python_connecting import heard_out


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
