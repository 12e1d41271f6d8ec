"""Every golden vector of RocketMQ's queue selection."""

from tests.builders.fault_vectors import cases, default_rules, items, read
from tests.builders.lines import Line
from trimtab.faults import FaultTable, Judge, Rotation, Selector, WriteQueues, select

VECTORS = read("selector_4x") + read("selector_5x")
WRITE = 2
"""RocketMQ's permission bit."""


def topic_of(line: Line) -> WriteQueues:
    """The topic of a line: its queues, and for 4.x the counts of its route."""
    counts = {
        row["broker"]: row["writeQueueNums"]
        for row in reversed(line.get("route", []))
        if row["perm"] & WRITE
    }
    return WriteQueues(tuple((topic, broker, it) for topic, broker, it in line["queues"]), counts)


@cases(VECTORS, "plain", "strategy")
def test_queues_are_java_s(line: Line) -> None:
    """Every pick, and every counter and fault item after the last one."""
    generation: Selector = "4.9" if line["version"].startswith("4") else "5"
    faults = items(line.get("faults", []))
    table = FaultTable(default_rules(line), enabled=line.get("enable", False), items=faults)
    judge = Judge(table, line.get("now", 0), Rotation(line.get("worst_start", 0)))
    rotation, picked = Rotation(line["start_index"]), []
    resets = line.get("reset_index_to", [None] * len(line["last_brokers"]))
    for last, reset in zip(line["last_brokers"], resets, strict=True):
        if reset is not None and table.enabled:
            rotation.value = reset
        picked.append(list(select(generation, topic_of(line), rotation, judge, last)))

    assert line["expect"] == picked
    assert line["expect_index_after"] == rotation.value
    assert line.get("expect_worst_after", judge.worst.value) == judge.worst.value
    left = sorted(item.broker for item in table)
    assert line.get("expect_fault_items_after", left) == left
