"""trimtab: members of consumer groups that hand queues over without a gap.

`Member` (threads) and `trimtab.aio.Member` (asyncio) join a group; `trimtab.kafka` binds a member
to a Kafka consumer; `trimtab.session` is the core without I/O, `trimtab.protocol` the wire.
`Producer` avoids bad brokers; `BrokerSelector` tells any other producer which those are, by the
rules of `trimtab.faults`.
"""

from trimtab.errors import (
    CallbackError,
    ConfigurationError,
    MemberFailedError,
    NoControllerError,
    NoQueueError,
    NoTopicError,
    ReplacedError,
    SharedGroupError,
    SlowCallbackError,
    TransportError,
    TrimtabError,
    UndecodableRecord,
)
from trimtab.member import Member
from trimtab.producer import Producer
from trimtab.protocol import QueueRef
from trimtab.selector import BrokerSelector
from trimtab.session import Grant

__all__ = [
    "BrokerSelector",
    "CallbackError",
    "ConfigurationError",
    "Grant",
    "Member",
    "MemberFailedError",
    "NoControllerError",
    "NoQueueError",
    "NoTopicError",
    "Producer",
    "QueueRef",
    "ReplacedError",
    "SharedGroupError",
    "SlowCallbackError",
    "TransportError",
    "TrimtabError",
    "UndecodableRecord",
]
