"""trimtab: members of consumer groups that hand queues over in milliseconds.

`Consumer` (threads) and `AsyncConsumer` (asyncio) read their share of Kafka. `Member` and
`trimtab.aio.Member` only join a group, for programs that move the data themselves.
`trimtab.session` is the core without I/O, `trimtab.protocol` the wire.
`Producer` avoids bad brokers; `BrokerSelector` tells any other producer which those are, by the
rules of `trimtab.faults`.

Each is imported when it is first asked for: the wire alone takes a fifth of all that is here.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trimtab.async_consumer import AsyncConsumer
    from trimtab.consumer import Consumer
    from trimtab.errors import (
        CallbackError,
        CommitError,
        ConfigurationError,
        GuardError,
        MemberFailedError,
        NoControllerError,
        NoQueueError,
        NoTopicError,
        ReplacedError,
        SharedGroupError,
        SlowCallbackError,
        StuckError,
        TransportError,
        TrimtabError,
        UndecodableRecord,
    )
    from trimtab.following import Followed, follow
    from trimtab.member import Member
    from trimtab.moving.consumer import AsyncMovingConsumer, MovingConsumer
    from trimtab.producer import Producer
    from trimtab.protocol import QueueRef
    from trimtab.selector import BrokerSelector
    from trimtab.session import Grant

__all__ = [
    "AsyncConsumer",
    "AsyncMovingConsumer",
    "BrokerSelector",
    "CallbackError",
    "CommitError",
    "ConfigurationError",
    "Consumer",
    "Followed",
    "Grant",
    "GuardError",
    "Member",
    "MemberFailedError",
    "MovingConsumer",
    "NoControllerError",
    "NoQueueError",
    "NoTopicError",
    "Producer",
    "QueueRef",
    "ReplacedError",
    "SharedGroupError",
    "SlowCallbackError",
    "StuckError",
    "TransportError",
    "TrimtabError",
    "UndecodableRecord",
    "follow",
]

_ERRORS: Final = "trimtab.errors"
_HOMES: Final = {
    "AsyncConsumer": "trimtab.async_consumer",
    "AsyncMovingConsumer": "trimtab.moving.consumer",
    "BrokerSelector": "trimtab.selector",
    "Consumer": "trimtab.consumer",
    "Followed": "trimtab.following",
    "Grant": "trimtab.session",
    "Member": "trimtab.member",
    "MovingConsumer": "trimtab.moving.consumer",
    "Producer": "trimtab.producer",
    "QueueRef": "trimtab.protocol",
    "follow": "trimtab.following",
}
"""Where the names above are from; all others are errors."""

if not TYPE_CHECKING:  # or a type checker would believe in any name

    def __getattr__(name: str) -> object:
        """Import what is asked for: a name of ours, or a module."""
        if name in __all__:
            found = getattr(import_module(_HOMES.get(name, _ERRORS)), name)
            globals()[name] = found
            return found
        if not name.startswith("_"):
            try:
                return import_module(f"{__name__}.{name}")
            except ModuleNotFoundError as error:
                if error.name != f"{__name__}.{name}":
                    raise
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        """Name what can be asked for."""
        return sorted({*globals(), *__all__})
