"""The settings of a binding's consumer: the user's, and those that keep it from losing messages.

A setting that contradicts is refused by the name that the user wrote: a consumer that commits by
itself, or that jumps to the end of a queue, loses messages silently.
"""

from collections.abc import Mapping
from typing import Any, Final

from confluent_kafka import KafkaError

from trimtab.errors import ConfigurationError
from trimtab.session import Profile

_OURS: Final[dict[str, tuple[object, str]]] = {
    "enable.auto.commit": (False, "the binding commits, and only what is done"),
    "enable.auto.offset.store": (False, "the binding keeps the positions"),
    "auto.offset.reset": ("error", 'say `start="earliest"` or `start="latest"` to the binding'),
    "group.protocol": ("classic", "the binding never subscribes, so Kafka's own groups do nothing"),
}
"""What a user may not change, and why. They had better leave it out."""
_SAME: Final = {
    "auto.commit.enable": "enable.auto.commit",
    "topic.auto.commit.enable": "enable.auto.commit",
    "topic.auto.offset.reset": "auto.offset.reset",
}
"""Other names of these, which librdkafka knows as well."""
_REFUSED: Final = {
    "on_commit": "the binding commits; what Kafka does not take is logged",
    "default.topic.config": "write its settings beside the others",
    "on_assign": "nothing is subscribed; give it to the member, as `on_assigned`",
}
_UNLESS_GIVEN: Final = {
    # How long a broker may say nothing before others are asked. Kafka's default is 60 s.
    "socket.timeout.ms": 10_000,
}
_SERVERS: Final = ("bootstrap.servers", "metadata.broker.list")
_UNHEARD: Final = ("error_cb", "stats_cb", "throttle_cb")
"""An admin client never calls these."""
_ERRORS_ONLY: Final = 3
"""A level of logs: below warnings, of which each setting that is a consumer's would be one."""


def group_of(settings: Mapping[str, Any]) -> str:
    """The group whose offsets are read and written."""
    group = settings.get("group.id")
    if not isinstance(group, str) or not group:
        raise ConfigurationError("group.id: name the group of the member in the settings")
    return group


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


def commit_settings(settings: Mapping[str, Any], patience_s: float) -> dict[str, Any]:
    """Put those of the client together that commits for it, and waits for nothing any longer."""
    return {
        **{name: value for name, value in settings.items() if name not in _UNHEARD},
        "socket.timeout.ms": int(patience_s * 1_000),
        "log_level": min(_ERRORS_ONLY, int(settings.get("log_level", _ERRORS_ONLY))),
    }


def said(error: Exception) -> str:
    """What librdkafka says of a setting, without the wrapping of its Python exception."""
    cause = error.args[0] if error.args else error
    return cause.str() if isinstance(cause, KafkaError) else str(cause)


def refuse_strangers(profile: Profile, group: str) -> None:
    """Refuse a member whose queues the group's committed offsets cannot stand for."""
    if profile.mode != "clustering":
        raise ConfigurationError(
            f'mode: a binding cannot follow a member of mode "{profile.mode}": Kafka keeps one'
            " committed offset of a queue for the whole group, and several members would share it"
        )
    if profile.group != group:
        raise ConfigurationError(
            f'binding: its group.id is "{group}", but the member\'s group is "{profile.group}"'
        )
