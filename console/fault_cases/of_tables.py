"""RocketMQ's fault tables, asked line by line.

A line is a case of the golden vectors in tests/fixtures/vectors without what is to be found out;
it comes back complete. ``kind`` says what is asked:

``table``     the defaults.
``duration``  for how long a call takes a broker out of use.
``script``    a table's life: updates, queries, removals and rounds of the detector, each at ``t``
              after ``base``.
``compare``   the order of items, pair by pair and sorted.
``pick``      the last resort: nine picks in turn (4.x), or the answers that are possible (5.x).

Called by `trimtab faults`. Whatever else a line holds comes back as it was.
"""

from collections.abc import Callable, Mapping

from console.fault_cases.fields import BadField, Fields
from console.fault_cases.items import read_items, written_items
from trimtab.faults import FaultItem, FaultRules, FaultTable, Rotation, compare
from trimtab.faults.java import java_order

PICKS = 9
"""How often the golden vectors pick: enough to go round any half of theirs twice."""


def table_answer(line: object, rules: FaultRules) -> object:
    """Complete one line, or raise what is wrong with it."""
    fields = Fields(line)
    kind = fields.text("kind")
    answer = _KINDS.get(kind)
    if answer is None:
        raise BadField(f"kind is {kind!r}, it must be one of {', '.join(_KINDS)}")
    if kind != "table":
        rules = _with_ladder(fields, rules)
    return {**fields.all, **answer(fields, rules)}


def _with_ladder(fields: Fields, rules: FaultRules) -> FaultRules:
    if "latencyMax" not in fields and "notAvailableDuration" not in fields:
        return rules
    return rules.with_ladder(fields.integers("latencyMax"), fields.integers("notAvailableDuration"))


def _table(_fields: Fields, rules: FaultRules) -> Mapping[str, object]:
    return {
        "latencyMax": list(rules.latency_max),
        "notAvailableDuration": list(rules.not_available_duration),
        "sendLatencyFaultEnable": False,  # RocketMQ's default
    }


def _duration(fields: Fields, rules: FaultRules) -> Mapping[str, object]:
    latency, isolation = fields.integer("latency"), fields.flag("isolation")
    item = FaultItem(broker="").updated(
        latency, fields.integer("now"), rules, isolation=isolation, reachable=True
    )
    duration = rules.duration(latency, isolation=isolation)
    return {"expect": duration, "startTimestamp": item.start_timestamp}


def _script(fields: Fields, rules: FaultRules) -> Mapping[str, object]:
    table = FaultTable(rules, enabled=fields.flag("enable", default=True))
    base = fields.integer("base", 0)
    steps = [
        {**step.all, **_step(step, table, base + step.integer("t"))}
        for step in fields.rows("steps")
    ]
    return {"steps": steps, "expect_items": written_items(table, rules.generation)}


def _step(step: Fields, table: FaultTable, now: int) -> Mapping[str, object]:
    match step.text("op"):
        case "update":
            table.update(
                step.text("broker"),
                step.integer("latency"),
                now,
                isolation=step.flag("isolation"),
                reachable=step.flag("reachable", default=True),
            )
        case "remove":
            table.remove(step.text("broker"))
        case "query":
            return {"expect": _query(step.text("broker"), table, now)}
        case "detect_round":
            return _detect_round(step, table, now)
        case unknown:
            raise BadField(f"op is {unknown!r}, not update, query, remove or detect_round")
    return {}


def _query(broker: str, table: FaultTable, now: int) -> Mapping[str, object]:
    available = {"available": table.is_available(broker, now)}
    if table.rules.generation == "rocketmq-4":
        return available
    return {**available, "reachable": table.is_reachable(broker)}


def _detect_round(step: Fields, table: FaultTable, now: int) -> Mapping[str, object]:
    addresses, answers = step.table("resolve"), step.table("detect")
    probes: list[object] = []

    def resolve(broker: str) -> str | None:
        address = addresses.get(broker)
        return address if isinstance(address, str) else None

    def probe(address: str, timeout: int) -> bool:
        probes.append([address, timeout])
        return answers.get(address) is True

    table.detect(now, resolve, probe)
    stored = written_items(table, table.rules.generation)
    return {"expect_probes": probes, "expect_items": stored}


def _compare(fields: Fields, rules: FaultRules) -> Mapping[str, object]:
    items, now = read_items(fields.rows("items")), fields.integer("now")
    pairs = []
    for pair in fields.values("pairs"):
        match pair:
            case [int(i), int(j), *_] if max(i, j) < len(items) and min(i, j) >= 0:
                pairs.append([i, j, compare(items[i], items[j], now, rules.generation)])
            case _:
                raise BadField("pairs must be a list of [place in items, place in items]")
    ranked = sorted(items, key=lambda item: item.order(now, rules.generation))
    return {"pairs": pairs, "expect_sorted": [item.broker for item in ranked]}


def _pick(fields: Fields, rules: FaultRules) -> Mapping[str, object]:
    now = fields.integer("now")
    table = FaultTable(rules, items=read_items(fields.rows("items")))
    if rules.generation == "rocketmq-5":
        return {"expect_possible": sorted(table.reachable(), key=java_order) or [None]}
    worst = Rotation(fields.integer("worst_start"))
    picked = [table.pick_one_at_least(now, worst) for _ in range(PICKS)]
    return {"expect": picked, "worst_after": worst.value}


_KINDS: Mapping[str, Callable[[Fields, FaultRules], Mapping[str, object]]] = {
    "table": _table,
    "duration": _duration,
    "script": _script,
    "compare": _compare,
    "pick": _pick,
}
