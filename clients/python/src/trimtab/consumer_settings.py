"""The settings of a binding's consumer: the user's, and those that keep it from losing messages.

A setting that contradicts is refused by name: a consumer that commits by itself, or that jumps to
the end of a queue, loses messages silently.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from trimtab.errors import ConfigurationError
from trimtab.session import Profile

_OURS: Final[dict[str, tuple[object, str]]] = {
    "enable.auto.commit": (False, "the binding commits, and only what is done"),
    "enable.auto.offset.store": (False, "the binding keeps the positions"),
    "auto.offset.reset": ("error", 'say `start="earliest"` or `start="latest"` to the binding'),
}
"""What a user may not change, and why."""
_REFUSED: Final = {
    "on_commit": "the binding needs it; what is not committed is logged",
    "default.topic.config": "write its settings beside the others",
}
_UNLESS_GIVEN: Final = {
    # How long a commit waits for the group's coordinator, to be sent when it is back; nothing else,
    # for who subscribes nothing. 45 s would be long enough for the queue to have another owner.
    "session.timeout.ms": 2_000,
    # How long a commit may wait for its answer, and a hand-over with it. Kafka's default is 60 s.
    "socket.timeout.ms": 10_000,
}


def group_of(settings: Mapping[str, Any]) -> str:
    """The group whose offsets are read and written."""
    group = settings.get("group.id")
    if not isinstance(group, str) or not group:
        raise ConfigurationError("group.id: name the group of the member in the settings")
    return group


def consumer_settings(
    settings: Mapping[str, Any], on_commit: Callable[..., None]
) -> dict[str, Any]:
    """Put the settings of a consumer together."""
    for name, (value, why) in _OURS.items():
        given = settings.get(name, value)
        if str(given).lower() != str(value).lower():
            raise ConfigurationError(f"{name}: cannot be {given}: {why}")
    for name, why in _REFUSED.items():
        if name in settings:
            raise ConfigurationError(f"{name}: cannot be set: {why}")
    ours = {name: value for name, (value, _) in _OURS.items()}
    return {**_UNLESS_GIVEN, **settings, **ours, "on_commit": on_commit}


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
