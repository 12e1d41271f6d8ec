"""`trimtab faults`: the formats that others check us by."""

import json
from pathlib import Path
from typing import Any

import pytest

from console.fault_cases import Consensus, selector_answer, table_answer
from console.json_lines import answers
from tests.builders.command_line import Run, caller
from trimtab.faults import RULES

VECTORS = Path(__file__).parents[2] / "fixtures" / "vectors" / "rocketmq"


@pytest.fixture
def trimtab(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line."""
    return caller(monkeypatch, capsys)


def stripped(line: dict[str, Any]) -> dict[str, Any]:
    """A golden vector without what is to be found out."""
    asked = {key: line[key] for key in line if not key.startswith("expect") and key != "error"}
    if line["kind"] == "duration":
        del asked["startTimestamp"]
    if line["kind"] == "compare":
        asked["pairs"] = [pair[:2] for pair in line["pairs"]]
    if line["kind"] == "script":
        asked["steps"] = [
            {key: step[key] for key in step if not key.startswith("expect")}
            for step in line["steps"]
        ]
    return asked


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("faults_4x", ["replay", "--table", "rocketmq-4"]),
        ("faults_5x", ["replay", "--table", "rocketmq-5"]),
        ("selector_4x", ["select"]),
        ("selector_5x", ["select"]),
    ],
)
def test_golden_vectors_come_back_complete(
    name: str, command: list[str], trimtab: Run, tmp_path: Path
) -> None:
    """What was taken out of every line is put in again, and nothing else is changed."""
    golden = [json.loads(text) for text in (VECTORS / f"{name}.jsonl").read_text().splitlines()]
    file = tmp_path / "cases.jsonl"
    file.write_text("".join(json.dumps(stripped(line)) + "\n" for line in golden))
    code, out, err = trimtab("faults", command[0], str(file), *command[1:])

    assert (0, "") == (code, err)
    assert golden == [json.loads(text) for text in out.splitlines()]


def test_a_line_keeps_what_nobody_asked_for() -> None:
    """And the rungs are those of the table, when the line names none."""
    line = {"kind": "duration", "latency": 700, "isolation": False, "now": 5, "mine": ["\udc80"]}
    told = {**line, "expect": 2_000, "startTimestamp": 2_005}

    assert told == table_answer(line, RULES["rocketmq-5"])
    assert {**told, "expect": 30_000, "startTimestamp": 30_005} == table_answer(
        line, RULES["rocketmq-4"]
    )


def test_the_oldest_generation_has_its_version() -> None:
    """4.2 goes back to the broker that failed, later ones do not."""
    line = {
        "kind": "strategy",
        "enable": True,
        "now": 7,
        "queues": [["t", "a", 0], ["t", "b", 0]],
        "start_index": -1,
        "last_brokers": [None, "a"],
        "faults": [{"broker": "a", "currentLatency": 30_000, "startTimestamp": 9}],
    }
    picked = {
        version: [queue[1] for queue in answer["expect"]]
        for version in ("4.2", "4.2.0", "4.9.8", "5.3.3")
        if isinstance(answer := selector_answer({**line, "version": version}), dict)
    }

    assert {
        "4.2": ["b", "a"],
        "4.2.0": ["b", "a"],
        "4.9.8": ["b", "b"],
        "5.3.3": ["b", "b"],
    } == picked


def test_the_oldest_generation_counts_as_it_did() -> None:
    """4.2.0's own answers: a retry costs one turn, and a route counts that is not writable."""
    queues = [["t", broker, place] for broker in ("a", "b") for place in range(3)]
    plain = {
        "kind": "plain",
        "version": "4.2.0",
        "queues": queues,
        "start_index": 5,
        "last_brokers": ["a", None, "c"],
    }
    assert {
        **plain,
        "expect": [["t", "b", 0], ["t", "a", 1], ["t", "a", 2]],
        "expect_index_after": 8,
    } == selector_answer(plain)

    faults = [{"broker": "a", "currentLatency": 30_000, "startTimestamp": 9}]
    route = [{"broker": "a", "writeQueueNums": 2, "perm": 4}]
    strategy = {
        **plain,
        "kind": "strategy",
        "enable": True,
        "now": 7,
        "faults": faults,
        "route": route,
        "last_brokers": ["a"],
    }
    answer = selector_answer(strategy)
    assert isinstance(answer, dict)
    assert [["t", "a", 0]] == answer["expect"]


def test_one_bad_line_is_one_error_line(trimtab: Run, tmp_path: Path) -> None:
    """The lines after it are answered; a file that is not there is another matter."""
    file = tmp_path / "cases.jsonl"
    good = b'{"kind":"duration","latency":1,"isolation":false,"now":5}'
    file.write_bytes(b"\n".join([b"{", good, b"\xff", b"[]", b"", b"[" * 100_000, good]))
    code, out, err = trimtab("faults", "replay", str(file), "--table", "rocketmq-5")

    assert (0, "") == (code, err)
    assert [True, False, True, True, True, True, False] == [
        "error" in json.loads(text) for text in out.splitlines()
    ]
    assert 4 == trimtab("faults", "select", str(tmp_path / "none"))[0]


DURATION = {"kind": "duration", "latency": 1, "isolation": False, "now": 5}
SCRIPT = {"kind": "script", "steps": [{"t": 1, "op": "query", "broker": "a"}]}
COMPARE = {"kind": "compare", "now": 1, "items": [], "pairs": []}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (7, "a line must be a JSON object"),
        ({"kind": "x"}, "kind is 'x', it must be one of table, duration, script, compare, pick"),
        ({**DURATION, "latency": 1.5}, "latency must be an integer of 64 bits"),
        ({**DURATION, "latency": True}, "latency must be an integer of 64 bits"),
        ({**DURATION, "latency": 2**63}, "latency must be an integer of 64 bits"),
        ({**DURATION, "isolation": 1}, "isolation must be true or false"),
        ({**DURATION, "latencyMax": [1]}, "notAvailableDuration must be a list"),
        (
            {**DURATION, "latencyMax": [1], "notAvailableDuration": []},
            "each rung of latencyMax needs a notAvailableDuration",
        ),
        ({**SCRIPT, "steps": [1]}, "steps[0] must be a JSON object"),
        ({**SCRIPT, "steps": [{"t": 1, "op": "query"}]}, "broker must be a string"),
        (
            {**SCRIPT, "steps": [{"t": 1, "op": "x"}]},
            "op is 'x', not update, query, remove or detect_round",
        ),
        (
            {**COMPARE, "pairs": [[0, 0]]},
            "pairs must be a list of [place in items, place in items]",
        ),
    ],
)
def test_a_bad_field_of_a_table_s_case_is_named(line: object, text: str) -> None:
    """The message says which field and what it must be."""
    (answer,) = answers(
        [json.dumps(line).encode()], lambda it: table_answer(it, RULES["rocketmq-5"])
    )

    assert {"error": {"message": text}} == json.loads(answer)


SELECT = {
    "version": "5.3.3",
    "kind": "plain",
    "queues": [["t", "a", 0]],
    "start_index": 0,
    "last_brokers": [None],
}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"version": 5}, "version must be a string"),
        ({"version": "3.0"}, "version is '3.0', it must begin with 4 or 5"),
        ({"queues": [["t", "a"]]}, "queues: a queue must be [topic, broker, id]"),
        ({"last_brokers": [1]}, "last_brokers must be a list of strings and nulls"),
        ({"reset_index_to": []}, "reset_index_to must be as long as last_brokers"),
        ({"reset_index_to": ["x"]}, "reset_index_to[0] must be an integer of 64 bits"),
        ({"kind": "strategy"}, "enable must be true or false"),
    ],
)
def test_a_bad_field_of_a_selector_s_case_is_named(change: dict[str, object], text: str) -> None:
    """The message says which field and what it must be."""
    (answer,) = answers([json.dumps({**SELECT, **change}).encode()], selector_answer)

    assert {"error": {"message": text}} == json.loads(answer)


def report(reporter: str, at: int, sequence: int, **latency: float) -> dict[str, object]:
    """A line: what a producer saw of its brokers in a window; a negative latency is a failure."""
    brokers = [
        {
            "broker": broker,
            "count": 20,
            "errors": 20 if ms < 0 else 0,
            **dict.fromkeys(("p50_ms", "p99_ms", "max_ms"), max(ms, 0)),
        }
        for broker, ms in latency.items()
    ]
    life = "1700000000000-00000000"
    return {
        "at": at,
        "kind": "report",
        "reporter": reporter,
        "incarnation": life,
        "sequence": sequence,
        "window_ms": 5_000,
        "brokers": brokers,
    }


def test_the_jury_is_replayed(trimtab: Run, tmp_path: Path) -> None:
    """Reports, time and orders in; what the controller would publish out, line by line."""
    lines: list[dict[str, object]] = [
        {"at": 1_000, "kind": "hosts", "topic": "orders", "brokers": ["a", "b", "c", "d"]},
        *(report(who, 5_000, 1, a=-1, b=5, c=5, d=5) for who in ("p", "q", "r")),
        {"at": 30_000, "kind": "tick"},
        {
            "at": 31_000,
            "kind": "restore",
            "id": "1",
            "principal": "ann",
            "reason": "was me",
            "broker": "a",
        },
    ]
    file = tmp_path / "records.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = trimtab("faults", "replay", str(file), "--table", "consensus")
    told = [json.loads(text) for text in out.splitlines()]

    assert (0, "") == (code, err)
    assert lines == [{key: it[key] for key in it if key != "expect"} for it in told]
    assert [0, 0, 0, 0] == [len(it["expect"]) for it in told[:4]]
    first = {it["broker"]: it for it in told[4]["expect"]}
    assert {"a": False, "b": True, "c": True, "d": True} == {
        broker: it["available"] for broker, it in first.items()
    }
    assert (11_000, "failures", ["p", "q", "r"]) == (
        first["a"]["since_ms"],
        first["a"]["detector"],
        first["a"]["testers"],
    )
    (back,) = told[5]["expect"]
    assert ("a", True) == (back["broker"], back["available"])


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ({"kind": "tick"}, "at must be an integer of 64 bits"),
        ({"kind": "tick", "at": -1}, "at must not be negative"),
        (
            {"kind": "forget", "at": 1, "id": "1", "principal": "a", "reason": "b"},
            "forget: this one does not concern a broker",
        ),
        ({"kind": "beat", "at": 1}, "unknown_kind: "),
        ({**report("p", 1, 1, a=5), "brokers": 7}, "invalid: brokers"),
    ],
)
def test_a_bad_record_for_the_jury_is_named(line: object, text: str) -> None:
    """And leaves no trace: the next line is answered as if it had not been there."""
    jury = Consensus()
    good = {"kind": "tick", "at": 5}
    bad, after = answers([json.dumps(line).encode(), json.dumps(good).encode()], jury.answer)

    assert text in json.loads(bad)["error"]["message"]
    assert {**good, "expect": []} == json.loads(after)
