"""The settings of kafka-python: the user's, and those that keep a consumer from losing messages.

A setting that contradicts is refused by the name that the user wrote; names may have dots, as in
the options of a member. Beside `confluent_settings`.
"""

from collections.abc import Mapping
from typing import Any, Final

from trimtab.consuming.contract import Wish
from trimtab.errors import ConfigurationError
from trimtab.transports.link import Link

_OURS: Final[dict[str, tuple[object, str]]] = {
    "enable_auto_commit": (False, "trimtab commits, and only what is done"),
    "auto_offset_reset": ("none", 'say `start="earliest"` or `start="latest"`'),
    "group_id": (None, "say it as `group`"),
    "bootstrap_servers": (None, "it is the first argument"),
}
"""What a user may not change, and why. They had better leave it out. Without a group this library
commits nothing, and never waits for a coordinator while it reads."""
_UNLESS_GIVEN: Final = {
    "fetch_max_wait_ms": 25,  # as with confluent-kafka, and for the same reason
    "request_timeout_ms": 10_000,
    "reconnect_backoff_max_ms": 1_000,  # the default, 30 s, is longer than a session
    "bootstrap_timeout_ms": 2_000,  # one try to connect; the upkeep tries again
    "isolation_level": "read_committed",  # as librdkafka, and unlike this library
}


def link_of(wish: Wish) -> Link:
    """Where Kafka is, and who asks.

    Raises:
        ConfigurationError: It is not said where Kafka is.
    """
    if not wish.servers:
        raise ConfigurationError('bootstrap.servers: say where Kafka is, as in "localhost:9092"')
    return Link.of_kafka_python(wish.servers, _underscored(wish.kafka))


def reading_settings(wish: Wish) -> dict[str, Any]:
    """Put the settings of what reads together."""
    given = _underscored(wish.kafka) | _underscored(wish.fetch)
    for name, said in given.items():
        value, why = _OURS.get(name, (said, ""))
        if str(said).lower() != str(value).lower():
            raise ConfigurationError(f"{name}: cannot be {said}: {why}; leave it out")
    ours = {name: value for name, (value, _) in _OURS.items()}
    servers = {"bootstrap_servers": [*link_of(wish).servers]}
    return {**_UNLESS_GIVEN, **given, **ours, **servers, "allow_auto_create_topics": False}


def group_settings(wish: Wish) -> dict[str, Any]:
    """Put those together of what asks about the group, and waits for nothing any longer."""
    patience_ms = int(wish.patience_s * 1_000)
    return {
        **_UNLESS_GIVEN,
        **_underscored(wish.kafka),
        "bootstrap_servers": [*link_of(wish).servers],
        "request_timeout_ms": patience_ms,
        "bootstrap_timeout_ms": patience_ms,
    }


def _underscored(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name.replace(".", "_"): value for name, value in options.items()}
