"""Ways to Kafka, one per client library. A library is imported only when it is chosen."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal, cast

from trimtab.errors import ConfigurationError
from trimtab.transports.contract import Transport

Client = Literal["confluent", "kafka-python"]

_CLIENTS: Final[Mapping[Client, tuple[str, str, str]]] = {
    "confluent": ("confluent_kafka", "trimtab.transports.confluent", "ConfluentTransport"),
    "kafka-python": ("kafka", "trimtab.transports.kafka_python", "KafkaPythonTransport"),
}
"""For each client (and extra): the module that must be installed, and our translation of it."""


def choose(
    client: Client | None,
    bootstrap_servers: str,
    prefix: str,
    delivery_timeout_ms: int,
    kafka: Mapping[str, Any],
) -> Transport:
    """Make a transport; without a choice, the first client that is installed."""
    _, module, factory = _CLIENTS[installed(client)]
    make = getattr(import_module(module), factory)
    return cast("Transport", make(bootstrap_servers, prefix, delivery_timeout_ms, kafka))


def installed(client: Client | None) -> Client:
    """Return the client if it is there; without a choice, the first one that is.

    Raises:
        ConfigurationError: It is unknown, or not installed.
    """
    if client is not None and client not in _CLIENTS:
        raise ConfigurationError(f'client: "{client}" is none of {", ".join(_CLIENTS)}')
    for name in [client] if client is not None else _CLIENTS:
        if find_spec(_CLIENTS[name][0]) is not None:
            return name
    extra = client or "confluent"
    raise ConfigurationError(f"no Kafka client is installed: pip install 'trimtab[{extra}]'")
