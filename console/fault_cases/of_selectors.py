"""RocketMQ's queue selection, asked line by line.

A line is a case of the golden vectors in tests/fixtures/vectors without what is to be found out:
the queues, where the counter starts, the fault items, and for each pick the broker of the try
before it. Its ``version`` names the generation: 4.2, later 4.x, or 5.x. No queues are an error, in
Java's words.

Called by `trimtab faults`. Whatever else a line holds comes back as it was.
"""

from console.fault_cases.fields import BadField, Fields
from console.fault_cases.items import read_items
from trimtab.faults import RULES, FaultTable, Judge, Place, Rotation, Selector, WriteQueues, select
from trimtab.faults.java import java_order

WRITE = 2
"""RocketMQ's permission bit."""
BY_ZERO = {"class": "java.lang.ArithmeticException", "message": "/ by zero"}
NO_FAULTS = ("plain", "plain-empty")


def selector_answer(line: object) -> object:
    """Complete one line, or raise what is wrong with it."""
    fields = Fields(line)
    generation = _generation(fields.text("version"))
    topic, lasts = _topic(fields, generation), fields.texts("last_brokers")
    if lasts and not topic.queues:
        return {**fields.all, "error": BY_ZERO}
    judge, rotation = _judge(fields, generation), Rotation(fields.integer("start_index"))
    picked = []
    for last, reset in zip(lasts, _resets(fields, len(lasts)), strict=True):
        if reset is not None and judge.table.enabled:
            rotation.value = reset
        picked.append(list(select(generation, topic, rotation, judge, last)))
    answer: dict[str, object] = {"expect": picked, "expect_index_after": rotation.value}
    if generation != "5" and fields.all.get("kind") not in NO_FAULTS:
        answer["expect_worst_after"] = judge.worst.value
        left = sorted((item.broker for item in judge.table), key=java_order)
        answer["expect_fault_items_after"] = left
    return {**fields.all, **answer}


def _generation(version: str) -> Selector:
    if version.startswith("5"):
        return "5"
    if not version.startswith("4"):
        raise BadField(f"version is {version!r}, it must begin with 4 or 5")
    return "4.2" if version == "4.2" or version.startswith("4.2.") else "4.9"


def _topic(fields: Fields, generation: Selector) -> WriteQueues:
    queues = tuple(_queue(value) for value in fields.values("queues"))
    if "route" not in fields:
        return WriteQueues.of(queues)
    counts: dict[str, int] = {}
    for row in fields.rows("route"):
        if row.integer("perm") & WRITE or generation == "4.2":  # which did not ask
            counts.setdefault(row.text("broker"), row.integer("writeQueueNums"))
    return WriteQueues(queues, counts)


def _queue(value: object) -> Place:
    match value:
        case [str(topic), str(broker), int(number)] if not isinstance(number, bool):
            return topic, broker, number
        case _:
            raise BadField("queues: a queue must be [topic, broker, id]")


def _judge(fields: Fields, generation: Selector) -> Judge:
    plain = fields.all.get("kind") in NO_FAULTS
    table = FaultTable(
        RULES["rocketmq-5" if generation == "5" else "rocketmq-4"],
        enabled=not plain and fields.flag("enable"),
        items=read_items(fields.rows("faults")) if "faults" in fields else (),
    )
    return Judge(table, fields.integer("now", 0), Rotation(fields.integer("worst_start", -1)))


def _resets(fields: Fields, picks: int) -> list[int | None]:
    if "reset_index_to" not in fields:
        return [None] * picks
    resets = fields.maybe_integers("reset_index_to")
    if len(resets) != picks:
        raise BadField("reset_index_to must be as long as last_brokers")
    return resets
