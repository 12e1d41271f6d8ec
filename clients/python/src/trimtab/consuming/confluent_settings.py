"""The settings of confluent-kafka: the user's, and those that keep it from losing messages.

A setting that contradicts is refused by the name that the user wrote: a consumer that commits by
itself, or that jumps to the end of a queue, loses messages silently.
"""

from collections.abc import Mapping
from typing import Any, Final

from trimtab.consuming.contract import Wish
from trimtab.errors import ConfigurationError
from trimtab.transports.confluent import soon
from trimtab.transports.confluent_unpolled import unpolled

_OURS: Final[dict[str, tuple[object, str]]] = {
    "enable.auto.commit": (False, "trimtab commits, and only what is done"),
    "enable.auto.offset.store": (False, "trimtab keeps the positions"),
    "auto.offset.reset": ("error", 'say `start="earliest"` or `start="latest"`'),
    "group.protocol": ("classic", "trimtab never subscribes, so Kafka's own groups do nothing"),
    "enable.partition.eof": (False, "each end would be told as trouble; ask the consumer's `lag`"),
}
"""What a user may not change, and why. They had better leave it out."""
_SAME: Final = {
    "auto.commit.enable": "enable.auto.commit",
    "topic.auto.commit.enable": "enable.auto.commit",
    "topic.auto.offset.reset": "auto.offset.reset",
}
"""Other names of these, which librdkafka knows as well."""
_REFUSED: Final = {
    "on_commit": "trimtab commits; what Kafka does not take is logged",
    "default.topic.config": "write its settings beside the others",
    "on_assign": "nothing is subscribed; give it to the consumer, as `on_assigned`",
}
_UNLESS_GIVEN: Final = {
    # How long a broker may say nothing before others are asked. Kafka's default is 60 s.
    "socket.timeout.ms": 10_000,
    # A broker answers one fetch at a time: a queue that has just begun waits until the one before
    # is answered, if that asks for idle queues. The default, 500 ms, is that wait; half of this
    # is most of an heir's way to its first message. An idle consumer fetches 40 times a second.
    "fetch.wait.max.ms": 25,
}
_SERVERS: Final = ("bootstrap.servers", "metadata.broker.list")


def client_settings(wish: Wish) -> dict[str, Any]:
    """Put together what the clients of a consumer are told."""
    for name in ("group.id", "bootstrap.servers"):
        if name in wish.fetch:
            raise ConfigurationError(f"fetch: {name} is set by trimtab; remove it")
    if (other := wish.kafka.get("group.id", wish.group)) != wish.group:
        raise ConfigurationError(
            f'kafka: group.id is {other}, and group is "{wish.group}": remove the first'
        )
    ours = {"bootstrap.servers": wish.servers, "group.id": wish.group}
    given = {**wish.kafka, **wish.fetch}
    return {**soon(given), **given, **ours}


def consumer_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Put the settings of a consumer together."""
    for name, given in settings.items():
        value, why = _OURS.get(_SAME.get(name, name), (given, ""))
        if str(given).lower() != str(value).lower():
            raise ConfigurationError(f"{name}: cannot be {given}: {why}; leave it out")
        if name in _REFUSED:
            raise ConfigurationError(f"{name}: cannot be set: {_REFUSED[name]}; leave it out")
    if not any(settings.get(name) for name in _SERVERS):
        raise ConfigurationError('bootstrap.servers: say where Kafka is, as in "localhost:9092"')
    ours = {name: value for name, (value, _) in _OURS.items()}
    mine = {name: value for name, value in settings.items() if name not in _SAME}
    return {**_UNLESS_GIVEN, **mine, **ours}


def transaction_settings(settings: Mapping[str, Any], patience_s: float) -> dict[str, Any]:
    """Put those of the clients together that commit in transactions."""
    ours = ("transactional.id", "enable.idempotence", "group.id")
    return {
        **{it: value for it, value in unpolled(settings).items() if it not in ours},
        # What a process that died has left open: others who read only what is committed wait.
        "transaction.timeout.ms": int(2 * patience_s * 1_000),
    }
