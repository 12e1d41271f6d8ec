"""The Kafka that the settings mean: the cluster they name, or the embedded broker of their home.

Commands that look at a cluster ask ``bootstrap_servers``; ``admin`` is the one place that makes
librdkafka's admin client from the settings.
"""

from pathlib import Path

from confluent_kafka.admin import AdminClient

from console.embedded.instance import Instance
from console.errors import Away, ExitCode
from console.settings import Settings

_JAVA_ONLY = (
    "sasl.client.callback.",
    "sasl.jaas.",
    "sasl.login.",
    "ssl.keystore.type",
    "ssl.protocol",
    "ssl.trustmanager.",
    "ssl.truststore.",
)
"""Options that librdkafka refuses, and that Spark's Java client cannot do without; see
https://github.com/confluentinc/librdkafka/blob/master/CONFIGURATION.md for what it knows."""


def bootstrap_servers(settings: Settings) -> str:
    """What to connect to.

    Raises:
        Away: The settings name no cluster and no embedded broker runs.
    """
    if settings.kafka.bootstrap_servers is not None:
        return settings.kafka.bootstrap_servers
    address = Instance(Path(settings.home)).running()
    if address is None:
        raise Away(
            f"no Kafka runs in {settings.home}: start one with `trimtab kafka start`, "
            "or set kafka.bootstrap_servers",
            ExitCode.NOT_FOUND,
        )
    return address.bootstrap_servers


def native_options(settings: Settings) -> dict[str, str]:
    """The Kafka options that are librdkafka's as well."""
    return {
        name: value
        for name, value in settings.kafka.options.items()
        if not name.startswith(_JAVA_ONLY)
    }


def admin(settings: Settings, servers: str) -> AdminClient:
    """An admin client; it connects when it is first used."""
    return AdminClient({**native_options(settings), "bootstrap.servers": servers, "log_level": 2})
