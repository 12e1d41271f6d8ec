"""Fault items, as replays write them: in RocketMQ's words.

4.x knows neither a flag nor probes, so its items have fewer fields. Called by the replays of tables
and selectors.
"""

from collections.abc import Iterable

from console.fault_cases.fields import Fields
from trimtab.faults import FaultItem, Generation
from trimtab.faults.java import java_order


def read_items(rows: Iterable[Fields]) -> list[FaultItem]:
    """Read items."""
    return [
        FaultItem(
            broker=row.text("broker"),
            current_latency=row.integer("currentLatency"),
            start_timestamp=row.integer("startTimestamp"),
            check_stamp=row.integer("checkStamp", 0),
            reachable=row.flag("reachableFlag", default=False),
        )
        for row in rows
    ]


def written_items(items: Iterable[FaultItem], generation: Generation) -> list[object]:
    """Write items in the order of their brokers' names."""
    return [
        _written(item, generation) for item in sorted(items, key=lambda it: java_order(it.broker))
    ]


def _written(item: FaultItem, generation: Generation) -> object:
    row = {
        "broker": item.broker,
        "currentLatency": item.current_latency,
        "startTimestamp": item.start_timestamp,
    }
    if generation == "rocketmq-5":
        row |= {"reachableFlag": item.reachable, "checkStamp": item.check_stamp}
    return row
