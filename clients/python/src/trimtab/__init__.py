"""trimtab: members of consumer groups that hand queues over without a gap.

`Consumer` (threads) and `AsyncConsumer` (asyncio) read their share of Kafka. `Member` and
`trimtab.aio.Member` only join a group, for programs that move the data themselves.
`trimtab.session` is the core without I/O, `trimtab.protocol` the wire.
`Producer` avoids bad brokers; `BrokerSelector` tells any other producer which those are, by the
rules of `trimtab.faults`.
"""

from trimtab.async_consumer import AsyncConsumer
from trimtab.consumer import Consumer
from trimtab.errors import (
    CallbackError,
    CommitError,
    ConfigurationError,
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
from trimtab.member import Member
from trimtab.moving.consumer import MovingConsumer
from trimtab.producer import Producer
from trimtab.protocol import QueueRef
from trimtab.selector import BrokerSelector
from trimtab.session import Grant

__all__ = [
    "AsyncConsumer",
    "BrokerSelector",
    "CallbackError",
    "CommitError",
    "ConfigurationError",
    "Consumer",
    "Grant",
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
]
