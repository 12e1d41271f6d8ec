"""Ways to Kafka, one per client library. A library is imported only when it is chosen."""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal, cast

from trimtab.errors import ConfigurationError
from trimtab.transports.contract import Transport
from trimtab.transports.inspector import Inspector

Client = Literal["confluent", "kafka-python"]

_CLIENTS: Final[Mapping[Client, tuple[str, str, str]]] = {
    "confluent": ("confluent_kafka", "trimtab.transports.confluent", "Confluent"),
    "kafka-python": ("kafka", "trimtab.transports.kafka_python", "KafkaPython"),
}
"""For each client (and extra): the module that must be installed, our translation of it (with its
inspector beside it), and how the names in there begin."""


def choose(
    client: Client | None,
    bootstrap_servers: str,
    prefix: str,
    delivery_timeout_ms: int,
    kafka: Mapping[str, Any],
) -> Transport:
    """Make a transport; without a choice, the first client that is installed."""
    _, module, name = _CLIENTS[installed(client)]
    make = getattr(import_module(module), f"{name}Transport")
    return cast("Transport", make(bootstrap_servers, prefix, delivery_timeout_ms, kafka))


def choose_inspector(
    client: Client | None, bootstrap_servers: str, prefix: str, kafka: Mapping[str, Any]
) -> Inspector:
    """Make what asks beside a transport, by the same client."""
    _, module, name = _CLIENTS[installed(client)]
    make = getattr(import_module(f"{module}_inspector"), f"{name}Inspector")
    return cast("Inspector", make(bootstrap_servers, prefix, kafka))


def installed(client: Client | None) -> Client:
    """Return the client if it is there; without a choice, the first one that is.

    Raises:
        ConfigurationError: It is unknown, or not installed.
    """
    if client is not None and client not in _CLIENTS:
        raise ConfigurationError(f'client: "{client}" must be one of {", ".join(_CLIENTS)}')
    for name in [client] if client is not None else _CLIENTS:
        if find_spec(_CLIENTS[name][0]) is not None:
            return name
    package = client if client == "kafka-python" else "confluent-kafka"
    raise ConfigurationError(f"no Kafka client is installed: pip install {package}")
