"""Every golden vector of RocketMQ's fault tables."""

from operator import itemgetter

from tests.builders.fault_vectors import cases, default_rules, items, read, rules, written
from tests.builders.lines import Line
from trimtab.faults import FaultItem, FaultTable, Rotation, compare

VECTORS = read("faults_4x") + read("faults_5x")


@cases(VECTORS, "table")
def test_the_tables_are_rocketmq_s(line: Line) -> None:
    """The defaults of both generations."""
    assert line["latencyMax"] == list(default_rules(line).latency_max)
    assert line["notAvailableDuration"] == list(default_rules(line).not_available_duration)


@cases(VECTORS, "duration")
def test_a_latency_costs_what_it_costs_in_java(line: Line) -> None:
    """The duration handed on, and the time stored for it."""
    latency, now, isolation = line["latency"], line["now"], line["isolation"]
    item = FaultItem(broker="b").updated(
        latency, now, rules(line), isolation=isolation, reachable=True
    )

    assert line["expect"] == rules(line).duration(latency, isolation=isolation)
    assert line["startTimestamp"] == item.start_timestamp


@cases(VECTORS, "script")
def test_a_life_of_a_table_is_java_s(line: Line) -> None:
    """Every answer on the way, every probe, and what is stored in the end."""
    table, write = FaultTable(rules(line), enabled=line["enable"]), written(line)
    for step in line["steps"]:
        now = line["base"] + step["t"]
        match step["op"]:
            case "update":
                table.update(
                    step["broker"],
                    step["latency"],
                    now,
                    isolation=step["isolation"],
                    reachable=step.get("reachable", False),
                )
            case "remove":
                table.remove(step["broker"])
            case "query":
                broker = step["broker"]
                found = {
                    "available": table.is_available(broker, now),
                    "reachable": table.is_reachable(broker),
                }
                assert step["expect"] == {key: found[key] for key in step["expect"]}
            case _:
                assert step["expect_probes"] == _probes(table, step, now)
                assert step["expect_items"] == _stored(table, line)

    assert line["expect_items"] == sorted(map(write, table), key=itemgetter("broker"))


def _probes(table: FaultTable, step: Line, now: int) -> list[list[object]]:
    probes: list[list[object]] = []

    def probe(address: str, timeout: int) -> bool:
        probes.append([address, timeout])
        return bool(step["detect"][address])

    table.detect(now, step["resolve"].get, probe)
    return probes


def _stored(table: FaultTable, line: Line) -> list[Line]:
    return sorted(map(written(line), table), key=itemgetter("broker"))


@cases(VECTORS, "compare")
def test_items_compare_as_in_java(line: Line) -> None:
    """Each pair, and a stable sort of all."""
    given, now = items(line["items"]), line["now"]
    table = FaultTable(default_rules(line), items=given)
    for i, j, expected in line["pairs"]:
        assert expected == compare(given[i], given[j], now, table.rules.generation)

    assert line["expect_sorted"] == [item.broker for item in table.ranked(now)]


@cases(VECTORS, "pick")
def test_the_last_resort_is_java_s(line: Line) -> None:
    """4.x goes round its better half; 5.x draws from those that answered."""
    table = FaultTable(default_rules(line), items=items(line["items"]))
    if "expect_possible" in line:
        possible: list[str | None] = [*sorted(table.reachable())]
        assert line["expect_possible"] == (possible or [None])
        return
    worst = Rotation(line["worst_start"])

    assert line["expect"] == [table.pick_one_at_least(line["now"], worst) for _ in line["expect"]]
    assert line["worst_after"] == worst.value
