"""Which machine room a broker and a client stand in.

``MACHINE_ROOM_NEARBY`` asks a resolver. RocketMQ leaves it to the user's code; here the two usual
conventions are ready to be named in the settings: a prefix of both names, or two tables.

An empty answer means "unknown", and the strategy refuses it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

_LIFE: Final = re.compile(r"@\d{13}-[0-9a-f]{8}$")
"""What is added where twins are told apart: each life has a name of its own (``own_names``)."""


class RoomResolver(Protocol):
    """RocketMQ's MachineRoomResolver, by name."""

    def broker_room(self, broker: str, /) -> str:
        """Return the room of a broker."""
        ...

    def client_room(self, client: str, /) -> str:
        """Return the room of a client."""
        ...


@dataclass(frozen=True, slots=True)
class PrefixRooms:
    """The room is what stands before the first ``mark``, or the whole name without one."""

    mark: str = "-"

    def broker_room(self, broker: str) -> str:
        """Return the broker's prefix."""
        return broker.partition(self.mark)[0]

    def client_room(self, client: str) -> str:
        """Return the prefix of what the client calls itself."""
        return _LIFE.sub("", client).partition(self.mark)[0]


@dataclass(frozen=True, slots=True)
class ListedRooms:
    """The room is what a table says."""

    brokers: Mapping[str, str] = field(default_factory=dict)
    clients: Mapping[str, str] = field(default_factory=dict)

    def broker_room(self, broker: str) -> str:
        """Look the broker up."""
        return self.brokers.get(broker, "")

    def client_room(self, client: str) -> str:
        """Look the client up, by what it calls itself."""
        return self.clients.get(_LIFE.sub("", client), "")
