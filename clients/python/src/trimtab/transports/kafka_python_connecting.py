"""Making a client of kafka-python, and what is to be done when it does not connect.

Its constructors wait for Kafka, try whatever fails again until time is up, and then say only that.
The reason stays in the network client that they are made of, which is also what still has a thread
then. So they are given one that is known here, and whose connections hear a broker out.

Used by the transport and the inspector of this library. Its one rule: what does not connect is
closed.
"""

import ssl
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from kafka import KafkaAdminClient
from kafka.errors import (
    KafkaConfigurationError,
    KafkaError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
    for_code,
)
from kafka.net.compat import KafkaNetClient

from trimtab.transports.diagnosis import Fault, Said, unreachable
from trimtab.transports.link import Link
from trimtab.transports.listener import distrust

REFUSALS: Final = (AssertionError, ValueError, KafkaConfigurationError)
"""How this library refuses options, each of its clients in its own way."""
_REMEMBERED: Final = 20
"""Failures that are kept: each has the same reason, or another broker's."""


def connected(make: Callable[..., Any], options: Mapping[str, Any], link: Link) -> Any:  # noqa: ANN401 - it ships no types
    """Make a client.

    Raises:
        TransportError: It does not connect.
    """
    network = _Network()
    try:
        return make(**options, kafka_client=network)
    except REFUSALS:  # some are looked at when there is a network client already
        if network.client is not None:
            network.client.close()
        raise
    except KafkaError as error:
        if network.client is None:
            raise  # it is the options
        network.client.close()
        raise unreachable(link, _said(network, options, link)) from error


def admin(options: Mapping[str, Any], link: Link) -> Any:  # noqa: ANN401 - it ships no types
    """Make an admin client, which refuses the options of the others; errors as of `connected`."""
    shared = {
        name: value for name, value in options.items() if name in KafkaAdminClient.DEFAULT_CONFIG
    }
    return connected(KafkaAdminClient, shared, link)


def described(
    options: Mapping[str, Any], link: Link, topics: Sequence[str]
) -> dict[str, type[KafkaError]]:
    """What Kafka says when it is asked for each topic by its name."""
    with closing(admin(options, link)) as client:
        return {it["name"]: for_code(it["error_code"]) for it in client.describe_topics(topics)}


class _Network:
    """Makes the network client of another client, and notes why its connections fail."""

    def __init__(self) -> None:
        self.client: Any = None
        self.failures: deque[Exception] = deque(maxlen=_REMEMBERED)

    def __call__(self, **given: object) -> Any:  # noqa: ANN401 - it ships no types
        self.client = KafkaNetClient(**given)
        manager = self.client._manager  # noqa: SLF001 - nothing public has it
        connect = manager.get_connection

        def noted(*args: object, **options: object) -> Any:  # noqa: ANN401 - as above
            connection = connect(*args, **options)
            connection.init_future.add_errback(self.failures.append)
            return connection

        manager.get_connection = noted
        build = manager._build_transport  # noqa: SLF001 - as above

        async def attentive(*args: object, **options: object) -> Any:  # noqa: ANN401 - as above
            return heard_out(await build(*args, **options))

        manager._build_transport = attentive  # noqa: SLF001 - as above
        return self.client


def heard_out(transport: Any) -> Any:  # noqa: ANN401 - as above
    """Have a connection that was closed say first what had come.

    kafka-python (3.0.12) drops what it reads together with the end of a connection. That is how a
    broker refuses a password, or a mechanism: it answers, and closes.
    """
    receive, ended = transport._sock_recv, list[Exception]()  # noqa: SLF001 - as above

    def received() -> tuple[bytes, Exception | None]:
        if ended:
            return b"", ended[0]
        data, error = receive()
        if data and error is not None:
            ended.append(error)
            error = None
        return data, error

    transport._sock_recv = received  # noqa: SLF001 - as above
    return transport


def _said(network: _Network, options: Mapping[str, Any], link: Link) -> Said | None:
    """What is known of the reason."""
    for failure in network.failures:
        if isinstance(failure, SaslAuthenticationFailedError | UnsupportedSaslMechanismError):
            return Said(Fault.PASSWORD, str(failure))
    if link.tls:
        reason = next(filter(None, (distrust(it, _context(options)) for it in link.servers)), None)
        return None if reason is None else Said(Fault.TLS, reason)
    return None


def _context(options: Mapping[str, Any]) -> ssl.SSLContext:
    """What the library would make of its options; it keeps that to itself."""
    context = options.get("ssl_context")
    if isinstance(context, ssl.SSLContext):
        return context
    context = ssl.create_default_context(cafile=options.get("ssl_cafile"))
    context.check_hostname = bool(options.get("ssl_check_hostname", True))
    if options.get("ssl_certfile"):
        password = options.get("ssl_password")
        context.load_cert_chain(options["ssl_certfile"], options.get("ssl_keyfile"), password)
    return context
