"""`trimtab allocate`: the format that others check us by."""

import json
from pathlib import Path
from typing import Any

import pytest

from console.allocation_cases import answers
from tests.builders.command_line import caller

VECTORS = Path(__file__).parents[2] / "fixtures" / "vectors" / "rocketmq"


def ask(scenario: object, *plugins: str) -> dict[str, Any]:
    """Ask one scenario."""
    (answer,) = answers([json.dumps(scenario).encode()], plugins)
    told: dict[str, Any] = json.loads(answer)
    return told


def message(text: str) -> object:
    """An error line."""
    return {"error": {"message": text}}


@pytest.mark.parametrize("name", ["allocate", "pop"])
def test_the_golden_vectors_are_scenarios(name: str) -> None:
    """Every vector's input fields, asked as they are, give the vector's answer."""
    texts = (VECTORS / f"{name}.jsonl").read_text("ascii").splitlines()
    for line in (json.loads(text) for text in texts):
        scenario = {key: line[key] for key in line if not key.startswith(("expect", "error"))}
        if "expect_by_k" in line:
            for following, everybody in line["expect_by_k"]:
                asked = {**scenario, "K": following}
                told = dict(ask(asked)["result_by_cid"])
                assert everybody == [[client, told[client]] for client, _ in everybody]
        elif "expect_by_cid" in line:
            told = dict(ask(scenario)["result_by_cid"])
            assert [_plain(one) for one in line["expect_by_cid"]] == [
                [client, told[client]] for client, _ in line["expect_by_cid"]
            ]
        elif "error" in line:
            assert message(line["error"]["message"]) == ask(scenario)
        else:
            assert {"result": line["expect"]} == ask(scenario)


def test_the_golden_orders_are_scenarios() -> None:
    """Sorting and comparing, asked in the same way."""
    for text in (VECTORS / "order.jsonl").read_text("ascii").splitlines():
        line = json.loads(text)
        scenario = {name: line[name] for name in ("kind", "input", "a", "b") if name in line}
        assert {"result": line["sorted"] if "sorted" in line else line["expect"]} == ask(scenario)


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (
            {"kind": "topics"},
            "kind is 'topics', it must be one of cids, queues, compare_string, compare_queue",
        ),
        ({"kind": "compare_string", "a": "x"}, "b is missing"),
        ({"kind": "compare_queue", "a": ["t"]}, "a: a queue must be [topic, broker, id]"),
        ({"kind": "cids", "input": [1]}, "input must be a list of strings"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(scenario: object, text: str) -> None:
    """The message names the field."""
    assert message(text) == ask(scenario)


def test_the_options_of_sticky_are_parameters() -> None:
    """Weights of queues, and then nobody knows how few moves there could be; racks."""
    people = [{"id": "a", "topics": ["t"], "rack": "r"}, {"id": "b", "topics": ["t"]}]
    scenario = {"strategy": "STICKY", "members": people, "topics": {"t": 4}}
    heavy = ask({**scenario, "params": {"queue_weights": {"t": [["", 0, 3]]}}})
    stuck = ask({**scenario, "params": {"queue_racks": {"t": "r"}}})

    assert [["t", "", 0]] == heavy["assignment"]["a"]
    assert (0, None) == (heavy["moves"], heavy["minimum_moves"])
    assert [] == stuck["assignment"]["b"]
    assert 0 == stuck["minimum_moves"]


def test_with_weights_nobody_knows_the_fewest_moves_of_the_inner_strategy_either() -> None:
    """STICKY without them would count others."""
    canary = {"prefix": "c", "percent": 50, "queue_weights": {"t": [["", 0, 9]]}}
    people = [{"id": "c1", "topics": ["t"]}, {"id": "b", "topics": ["t"]}]
    scenario = {"strategy": "CANARY", "members": people, "topics": {"t": 4}}
    weighed = ask({**scenario, "params": canary, "previous": {"b": [["t", "", 0]]}})

    assert (1, None) == (weighed["moves"], weighed["minimum_moves"])


def _plain(told: list[Any]) -> list[Any]:
    """Leave Java's class out of an error."""
    client, answer = told
    if isinstance(answer, dict):
        return [client, message(answer["error"]["message"])]
    return told


def test_a_group_is_answered_in_full() -> None:
    """Assignment, what is left and why, moves and the fewest there could have been."""
    answer = ask(
        {
            "strategy": "STICKY",
            "members": [
                {"id": "a", "topics": ["t"]},
                {"id": "b", "topics": ["t", "u"], "weight": 2, "cap": 3, "rack": "r"},
            ],
            "topics": {"t": 5, "u": [["x", 0], ["x", 1]], "z": 1},
            "previous": {"a": [["t", "", place] for place in range(5)], "gone": [["u", "x", 1]]},
        }
    )

    assert {
        "assignment": {
            "a": [["t", "", 0], ["t", "", 1], ["t", "", 2], ["t", "", 3]],
            "b": [["t", "", 4], ["u", "x", 0], ["u", "x", 1]],
        },
        "unassigned": [{"queue": ["z", "", 0], "reason": "no member subscribes the topic"}],
        "moves": 2,
        "minimum_moves": 2,
    } == answer


def test_one_bad_line_is_one_error_line() -> None:
    """The lines after it are answered."""
    good = b'{"strategy":"AVG","cid":"a","cids":["a"],"queues":[["t","b",0]]}'
    told = [json.loads(answer) for answer in answers([b"{", good, b"\xff", b"[]", b"\n", good])]

    assert ["error", "result", "error", "error", "error", "result"] == [
        next(iter(answer)) for answer in told
    ]


MEMBER = {"id": "a", "topics": ["t"]}


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"members": 1}, "members must be a list"),
        ({"members": [1]}, "members[0] must be a table"),
        ({"members": [{"id": "a"}]}, "members[0] needs an id and topics"),
        ({"members": [MEMBER, MEMBER]}, "members[1].id: there are two members called 'a'"),
        (
            {"members": [{**MEMBER, "weight": 0}]},
            "members[0].weight must lie between 1 and 1000000",
        ),
        ({"members": [{**MEMBER, "weight": 1.5}]}, "weight must be an integer"),
        ({"members": [{**MEMBER, "cap": -1}]}, "members[0].cap must not be negative"),
        ({"members": [{**MEMBER, "weigth": 5}]}, "members[0]: unknown option weigth"),
        ({"members": [{**MEMBER, "capacity": 1}]}, "members[0]: unknown option capacity"),
        ({"topics": []}, "topics must be a table"),
        ({"topics": {"t": True}}, "topics.t must be a count or a list of [broker, id]"),
        ({"topics": {"t": -1}}, "topics.t must be a count or a list of [broker, id]"),
        ({"topics": {"t": 10**12}}, "topics.t: there are more than 2000000 queues"),
        ({"topics": {"t": [["b", 0], ["b", 0]]}}, "topics.t: a queue is there twice"),
        ({"topics": {"t": [["b"]]}}, "topics.t: a queue must be [topic, broker, id]"),
        ({"topics": {"t": ["b"]}}, "topics.t must be a count or a list of [broker, id]"),
        ({"previous": {"a": 1}}, "a must be a list"),
        ({"params": 1}, "params must be a table"),
        ({"params": {"colour": 1}}, "unknown option colour"),
        ({"strategy": None}, "strategy is missing"),
        ({"prams": {"queue_weights": {}}}, "unknown option prams"),
        ({"previuos": {"a": [["t", "", 0]]}}, "unknown option previuos"),
    ],
)
def test_a_bad_field_is_named(change: dict[str, object], text: str) -> None:
    """The message says which field and what it must be."""
    scenario = {"strategy": "STICKY", "members": [MEMBER], "topics": {"t": 1}}

    assert message(text) == ask({**scenario, **change})


def test_rocketmq_s_question_needs_one_of_its_strategies() -> None:
    """STICKY has no answer to it, and a list holds what it must."""
    known = "AVG, AVG_BY_CIRCLE, CONFIG, CONSISTENT_HASH, MACHINE_ROOM, MACHINE_ROOM_NEARBY"
    assert message(f"strategy is 'STICKY', without members it must be one of {known}") == ask(
        {"strategy": "STICKY", "cids": ["a"]}
    )
    assert message("cids must be a list of strings") == ask({"strategy": "AVG", "cids": [1]})


def test_the_commands_read_files_and_write_tables(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """`allocate` answers a file, `simulate` compares and draws; both name what they cannot do."""
    trimtab = caller(monkeypatch, capsys)
    scenarios, plot = tmp_path / "s.jsonl", tmp_path / "moves.svg"
    scenarios.write_text('{"strategy":"AVG","cid":"a","cids":["a"],"queues":[["t","b",0]]}\n')

    assert (0, '{"result":[["t","b",0]]}\n', "") == trimtab("allocate", str(scenarios))
    assert 4 == trimtab("allocate", str(tmp_path / "none"))[0]

    options = ("--members", "4", "--queues", "16", "--strategy", "STICKY,AVG", "--plot", str(plot))
    code, table, _ = trimtab("simulate", *options)
    assert (0, ["STRATEGY", "STICKY", "AVG"]) == (
        code,
        [line.split()[0] for line in table.splitlines()],
    )
    assert plot.read_text().count("<polyline") == 2
    assert 2 == trimtab("simulate", "--strategy", "NOPE")[0]
    code, out, err = trimtab("simulate", "--strategy", " , ")
    assert (2, "", "trimtab: --strategy names none: such as STICKY,AVG\n") == (code, out, err)


@pytest.mark.parametrize("churn", ["rolling-restart", "deploy", "join", "leave", "random"])
def test_sticky_moves_the_fewest_in_every_churn(
    churn: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Moves are the minimum, and loads and topics stay even."""
    options = ("--members", "6", "--queues", "32", "--topics", "3", "--strategy", "STICKY")
    _, told, _ = caller(monkeypatch, capsys)("simulate", *options, "--churn", churn, "-o", "json")
    (row,) = json.loads(told)["strategies"]

    assert row["minimum"] == row["moves"] > 0
    assert 1 == row["imbalance"]
