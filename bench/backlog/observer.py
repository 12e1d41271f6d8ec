"""What is published of one group, read along: its summary, and how queues came to a member.

Its one rule: it reads everything, so nothing that was decided on the way is missed.
"""

import time
from collections.abc import Callable
from typing import Final

from confluent_kafka import Consumer, TopicPartition

from bench.floor.writer import Outlet
from console.errors import Failure
from trimtab.protocol import GROUPS, HISTORY, Group, Handover, decode, partition_of

_PATIENCE_S: Final = 600.0


class Observer:
    """Reads until it is closed.

    Args:
        outlet: Where the controller answers.
        group: Of which group.
        check: Raises when it is no use to wait.
    """

    def __init__(self, outlet: Outlet, group: str, check: Callable[[], None]) -> None:
        self._group, self.check = group, check
        self._prefix = outlet.prefix
        self._consumer = Consumer(
            {"bootstrap.servers": outlet.servers, "group.id": "observer", "log_level": 2}
        )
        place = partition_of(group, outlet.partitions)
        self._consumer.assign(
            [TopicPartition(f"{outlet.prefix}{it.name}", place, 0) for it in (GROUPS, HISTORY)]
        )
        self.summary: Group | None = None
        self.handovers: list[Handover] = []

    def close(self) -> None:
        """Read no more."""
        self._consumer.close()

    def at_rest(self, *members: str) -> bool:
        """Tell whether these members and no others have all queues, and nothing moves."""
        summary = self.summary
        return (
            summary is not None
            and summary.state == "stable"
            and {it.member for it in summary.people} == set(members)
        )

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Read until something is true.

        Raises:
            Failure: It does not come true.
        """
        deadline = time.monotonic() + _PATIENCE_S
        while not condition():
            self.check()
            if time.monotonic() > deadline:
                raise Failure(f"it did not come true; the controller says: {self.summary}")
            self.read()

    def read(self) -> None:
        """Take a record, if there is one."""
        message = self._consumer.poll(0.05)
        if message is None or message.error() is not None:
            return
        if str(message.topic()) == f"{self._prefix}{GROUPS.name}":
            if message.key() == self._group.encode():
                self.summary = decode(GROUPS, message.value())
            return
        record = decode(HISTORY, message.value())
        if isinstance(record, Handover) and record.group == self._group:
            self.handovers.append(record)
