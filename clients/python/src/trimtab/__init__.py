"""trimtab: members of consumer groups that hand queues over without a gap.

`Member` (threads) and `trimtab.aio.Member` (asyncio) join a group; `trimtab.kafka` binds a member
to a Kafka consumer; `trimtab.session` is the core without I/O, `trimtab.protocol` the wire.
"""

from trimtab.errors import (
    CallbackError,
    ConfigurationError,
    MemberFailedError,
    ReplacedError,
    TransportError,
    TrimtabError,
    UndecodableRecord,
)
from trimtab.member import Member
from trimtab.protocol import QueueRef
from trimtab.session import Grant

__all__ = [
    "CallbackError",
    "ConfigurationError",
    "Grant",
    "Member",
    "MemberFailedError",
    "QueueRef",
    "ReplacedError",
    "TransportError",
    "TrimtabError",
    "UndecodableRecord",
]
