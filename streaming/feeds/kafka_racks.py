"""The racks of Kafka's partitions: where the brokers stand that have a replica of each.

A broker that is down is named without its rack. It is taken for where it stood when it was seen
last; of a topic that it has replicas of, and that was never seen whole, nobody can tell.

Used by ``metadata``. Its one rule: a broker that comes and goes moves nothing.
"""

from collections.abc import Iterable
from typing import Final

from confluent_kafka import TopicPartitionInfo
from pydantic import ValidationError

from rebalance.racks import runs_of
from trimtab.protocol import RackRef, Route, limits

_CHARACTERS: Final = limits.RECORD_BYTES // 2
"""Names of racks in one record; the rest is for queues, and for what JSON adds."""


class Racks:
    """What is known of brokers."""

    def __init__(self) -> None:
        self._racks: Final = dict[int, str]()
        """By broker; empty: it has none."""

    def of(self, partitions: Iterable[TopicPartitionInfo]) -> tuple[RackRef, ...] | None:
        """Return where the partitions of a topic stand; None: that cannot be told now."""
        ordered = sorted(partitions, key=lambda it: it.id)
        for broker in (broker for it in ordered for broker in it.replicas):
            if broker.host:
                self._racks[broker.id] = broker.rack or ""
        if any(broker.id not in self._racks for it in ordered for broker in it.replicas):
            return None
        where = [frozenset(self._racks[broker.id] for broker in it.replicas) for it in ordered]
        runs = tuple(
            RackRef(tuple(sorted(it.racks)), it.first, it.length)
            for it in runs_of(those - {""} for those in where)
            if it.racks
        )
        return runs if _can_be_told(runs) else ()


def _can_be_told(runs: tuple[RackRef, ...]) -> bool:
    """Tell whether a record may say it, as the wire checks it; nobody limits a broker's rack."""
    if sum(len(name) for run in runs for name in run.racks) > _CHARACTERS:
        return False
    try:
        Route(topic="any", version=0, exists=True, runs=(), racks=runs)
    except ValidationError:
        return False
    return True
