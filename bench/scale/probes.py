"""Probes: somebody comes, is answered, goes, is answered; again and again, beside all the others.

One is a member of the SDK that joins a group of one other. The other is a client of RocketMQ that
belongs to an application's four groups, with all clients of it: it is answered when each of them
has told it its share, or that it has none any more.

Used by ``scenes``. Its one rule: a probe asks one question at a time.
"""

import time
from collections.abc import Iterable
from itertools import count
from random import Random
from typing import Final, NamedTuple, Protocol

from confluent_kafka import Producer

from bench.floor.line import Line, has_queues, is_anything, is_gone
from bench.floor.writer import Outlet
from bench.populations import HOLDER, MEASURED, Newcomer, join
from bench.scale.clients import client_id, groups_of, heartbeat, unregistrations
from console.errors import ExitCode, Failure
from trimtab.protocol import ROCKETMQ, member_key, partition_of

_SEED: Final = 3
_PAUSE_S: Final = (0.05, 0.15)
"""Of random length, so as not to fall into step with the batches."""
_FLUSH_S: Final = 10.0


class Answered(NamedTuple):
    """How long each answer took, in milliseconds."""

    join_ms: float
    leave_ms: float


class Probe(Protocol):
    """Who comes and goes."""

    def asks(self) -> Answered:
        """Come and go once."""
        ...


class MemberProbe:
    """A member of the SDK, which joins by turns groups of one other member that never beats.

    It has joined when it is told which queues come to it.

    Args:
        line: Hears what is said to it.
        answered: Whether somebody decides; the floor has only echoes.
    """

    def __init__(self, line: Line, *, answered: bool) -> None:
        self._line, self._numbers, self._pauses = line, count(1), Random(_SEED)
        self._has_queues = has_queues if answered else is_anything
        self._is_out = is_gone if answered else is_anything
        for group in MEASURED:
            joins, mark = join(group, HOLDER, 0)
            line.ask(joins, mark, fits=self._has_queues, again=[mark])

    def asks(self) -> Answered:
        """Come and go."""
        time.sleep(self._pauses.uniform(*_PAUSE_S))
        number = next(self._numbers)
        newcomer = Newcomer(MEASURED[number % len(MEASURED)], number)
        joins, mark = newcomer.joins()
        joined = self._line.ask(joins, mark, fits=self._has_queues, again=[mark])
        left = self._line.ask(*newcomer.leaves(), fits=self._is_out)
        return Answered(joined.milliseconds, left.milliseconds)


class ClientProbe:
    """A client of RocketMQ, each time of another application.

    Args:
        line: Hears what is said to it.
        outlet: Where it speaks.
        topic: What it subscribes.
        applications: How many there are.
        clients: How many others there are: no probe has the client id of one of them.
    """

    def __init__(
        self, line: Line, outlet: Outlet, topic: str, applications: int, clients: int
    ) -> None:
        self._line, self._outlet, self._topic = line, outlet, topic
        self._applications, self._numbers = applications, count(clients)
        self._pauses = Random(_SEED)
        self._producer = Producer(
            {"bootstrap.servers": outlet.servers, "linger.ms": 0, "log_level": 2}
        )

    def asks(self) -> Answered:
        """Send a heartbeat, and then unregister."""
        number = next(self._numbers)
        groups, name = groups_of(number % self._applications), client_id(number, 1)
        keys = {member_key(group, name) for group in groups}
        said = self._says(name, [heartbeat(name, self._topic, groups)])
        join_ms = self._answered_ms(said, keys, gone=False)
        said = self._says(name, unregistrations(name, groups))
        return Answered(join_ms, self._answered_ms(said, keys, gone=True))

    def _says(self, name: str, values: Iterable[bytes]) -> float:
        """Append records after a pause; return when the last one was acknowledged."""
        time.sleep(self._pauses.uniform(*_PAUSE_S))
        topic = f"{self._outlet.prefix}{ROCKETMQ.name}"
        place = partition_of(name, self._outlet.partitions)
        for value in values:
            self._producer.produce(topic, value, name.encode(), place)
        if self._producer.flush(_FLUSH_S):
            raise Failure("Kafka does not take records", ExitCode.TIMEOUT)
        return time.monotonic()

    def _answered_ms(self, since: float, keys: set[bytes], *, gone: bool) -> float:
        """Wait until each group has told it a share, or that it has none any more."""
        missing, at = keys, since
        while missing:
            at = max(it.at for it in self._line.hear(missing))
            missing = {it for it in missing if (self._line.latest(it) is None) != gone}
        return (at - since) * 1000
