"""How a client was told to connect: where, by which protocol, and as whom.

Read from the options of either client library, so that an error can name what was tried, and the
option to change by the name that this library has for it. Used by the transports and `diagnosis`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trimtab.errors import ConfigurationError

_DEFAULT_PORT: Final = "9092"


@dataclass(frozen=True, slots=True)
class Link:
    """One member's way to Kafka."""

    servers: tuple[str, ...]
    protocol: str
    mechanism: str
    user: str | None
    """None: it says by a certificate, or by nothing, who it is."""
    dotted: bool
    """Whether the client writes options with dots, as librdkafka does."""

    @classmethod
    def of_confluent(cls, servers: str, kafka: Mapping[str, Any]) -> "Link":
        """Read the options of confluent-kafka."""
        protocol = str(kafka.get("security.protocol", "PLAINTEXT")).upper()
        mechanism = kafka.get("sasl.mechanism", kafka.get("sasl.mechanisms", "GSSAPI"))
        places = str(kafka.get("bootstrap.servers", servers))
        user = kafka.get("sasl.username")
        return cls(_places(places), protocol, str(mechanism), user, dotted=True)

    @classmethod
    def of_kafka_python(cls, servers: str, kafka: Mapping[str, Any]) -> "Link":
        """Read the options of kafka-python."""
        protocol = str(kafka.get("security_protocol", "PLAINTEXT"))
        mechanism, user = kafka.get("sasl_mechanism", "GSSAPI"), kafka.get("sasl_plain_username")
        places = kafka.get("bootstrap_servers", servers)
        listed = places if isinstance(places, str) else ",".join(places)
        return cls(_places(listed), protocol, str(mechanism), user, dotted=False)

    @property
    def tls(self) -> bool:
        """Whether it speaks TLS."""
        return self.protocol.endswith("SSL")

    @property
    def place(self) -> str:
        """The servers, for people."""
        return ",".join(self.servers)

    @property
    def who(self) -> str:
        """The user, for people."""
        return f'user "{self.user}"' if self.user else "this client's user"

    @property
    def principal(self) -> str:
        """The user, as ACLs name it."""
        if self.user:
            return f"User:{self.user}"
        return "User:ANONYMOUS" if self.protocol == "PLAINTEXT" else "User:..."

    def option(self, dotted: str) -> str:
        """The name of an option, given that of librdkafka."""
        if self.dotted:
            return dotted
        different = {
            "sasl.username": "sasl_plain_username",
            "sasl.password": "sasl_plain_password",
            "ssl.ca.location": "ssl_cafile",
            "ssl.certificate.location": "ssl_certfile",
        }
        return different.get(dotted, dotted.replace(".", "_"))


def _places(servers: str) -> tuple[str, ...]:
    """The addresses, each with its port; both libraries default to Kafka's own.

    Raises:
        ConfigurationError: A port is no number.
    """
    places = []
    for text in servers.split(","):
        place = text.strip().rpartition("://")[2]
        host, colon, port = place.rpartition(":")
        if not colon or (place.startswith("[") and place.endswith("]")):
            host, port = place, _DEFAULT_PORT
        if not host or not port.isdigit():
            raise ConfigurationError(f'bootstrap_servers: "{place}" is not "host:port"')
        places.append(f"{host}:{port}")
    return tuple(places)
