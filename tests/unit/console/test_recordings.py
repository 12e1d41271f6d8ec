"""`trimtab replay` and `trimtab check`, on recordings made by hand."""

import gzip
import json
from pathlib import Path

import pytest

from tests.builders.command_line import Run
from tests.builders.log import LIFE, beat, join, route
from tests.builders.recording import GROUP, PARTITION, Recording, a_hand_over, two_join
from tests.builders.rocketmq import consumer, heartbeat
from trimtab.protocol import (
    Beat,
)

# -- replay


def test_each_decision_is_told_with_its_cause(run: Run) -> None:
    """Batch by batch: who came, what was computed, what everybody was told and why."""
    code, told, _ = run("replay", two_join().write())

    assert 0 == code
    assert "batch 0 (2 records), 1970-01-01T00:00:0" in told
    assert f"a joined (join of a, trimtab.members/{PARTITION}@0)" in told
    assert "b is told under epoch 2: inherit orders-" in told
    assert "rebalance 1 -> 2: 1 move, 2 members, 2 queues (join of b" in told


@pytest.mark.parametrize("command", ["replay", "check"])
def test_a_recording_that_is_compressed_is_named(run: Run, command: str) -> None:
    """Whoever keeps recordings compresses them; that no byte decodes would say nothing."""
    Path("kept.jsonl.gz").write_bytes(gzip.compress(Path(two_join().write()).read_bytes()))
    code, out, err = run(command, "kept.jsonl.gz")

    said = "trimtab: kept.jsonl.gz: it is compressed: `gunzip` it first\n"
    assert (2, "", said) == (code, out, err)


def test_records_come_as_the_controller_writes_them(run: Run) -> None:
    """With --json each is a line: where it would stand, and its bytes; batches are told apart."""
    _, printed, _ = run("replay", two_join().write(), "--json")
    lines = [json.loads(line) for line in printed.splitlines()]
    told = [each for each in lines if each.get("topic") == "trimtab.assignments"]

    assert [0, 1] == [each["batch"] for each in lines if "batch" in each]
    assert [0, 1, 2] == [each["offset"] for each in told]

    assert ["billing/a", "billing/a", "billing/b"] == [each["key"] for each in told]
    assert {PARTITION} == {each["partition"] for each in told}
    assert 1 == json.loads(told[0]["value"])["epoch"]


def test_what_rocketmqs_clients_said_is_replayed(run: Run) -> None:
    """One record, which every cell reads: in each partition, each of its groups is told once."""
    recording = Recording()
    for at, client in ((1_000, "c1"), (2_000, "c2"), (32_000, "c1")):
        recording.say(heartbeat(consumer(GROUP, "orders"), consumer("h"), clientID=client), at)
    recording.add("routes", route(queues=2), 33_000)
    recording.say(b"hello", 34_000)
    _, told, _ = run("replay", recording.write(), "--set", "controller.cells_per_partition=3")

    for client, place in (("c1", 0), ("c2", 1)):
        for group in (GROUP, "h"):
            line = f"{group}: {client} joined (join of {client}, trimtab.rocketmq/0@{place})"
            assert 1 == told.count(line)
    assert 1 == told.count("c1 is told under epoch 3: hold orders-0@3")
    assert 1 == told.count("dead letter: trimtab.rocketmq/0@4: garbage")


def test_a_replay_ends_where_it_is_told_to(run: Run) -> None:
    """Log time, as people write it."""
    name = two_join().write()

    for until in ("1970-01-01T00:00:01.5Z", "1970-01-01T00:00:01.5"):
        _, told, _ = run("replay", name, "--until", until)
        assert "a joined" in told
        assert "b joined" not in told


def test_one_group_can_be_picked(run: Run) -> None:
    """The others are folded and not shown."""
    _, told, _ = run("replay", two_join().write(), "--group", "other")

    assert "" == told


def test_another_policy_decides_otherwise(run: Run) -> None:
    """What would have been, had the settings been others."""
    recording = Recording()
    recording.add("heartbeats", beat("c"), 900)
    two_join(recording)
    for second in range(2, 9):
        recording.add("heartbeats", beat("b", sequence=second), 1_000 * second)
    name = recording.write()

    assert "expired" not in run("replay", name)[1]
    assert (
        "a expired"
        in run(
            "replay",
            name,
            "-s",
            "policy.session_timeout=5s",
            "-s",
            "policy.session_timeout_min=5s",
            "-s",
            "policy.heartbeat_interval=1s",
            "-s",
            "controller.max_clock_step=1s",
            "-s",
            "controller.tick_interval=500ms",
            "-s",
            "controller.heartbeat_batch_interval=500ms",
            "-s",
            "policy.blast_members=9",
        )[1]
    )


GARBAGE = {
    "{": "Expecting property name enclosed in double quotes",
    "[]": "not a JSON object",
    '{"topic": "members"}': "value: is missing",
    '{"topic": 1}': "topic: must be a string",
    '{"batch": "x"}': "batch: must be a number",
    '{"topic": "members", "value": 5}': "value: must be the record's text, or null",
    '{"topic": "members", "value": null, "key": 5}': "key: must be a string or null",
    '{"topic": "members", "value": null, "partition": -1}': "partition: must be a number",
    '{"topic": "members", "value": null, "partition": 2147483648}': "partition: must be a number",
    '{"topic": "members", "value": null, "partition": 0, "offset": 100000000000000000000}': (
        "offset: must be a number from 0 to 9007199254740991"
    ),
    '{"topic": "members", "value": null, "partition": 0, "offset": 0, "timestamp": 1e3}': (
        "timestamp: must be a number"
    ),
    '{"topic": "members", "value": null, "partition": 0, "offset": 0, "timestamp": '
    "1000000000000000000}": "timestamp: must be a number from 0 to 9007199254740991",
    "[" * 100_000: "nested too deeply",
    '{"topic": "members", "value": ' + '{"a":' * 100_000: "nested too deeply",
}


@pytest.mark.parametrize("command", ["replay", "check"])
@pytest.mark.parametrize(("line", "reason"), GARBAGE.items(), ids=lambda text: text[:80])
def test_a_line_that_cannot_be_read_is_named(
    run: Run, command: str, line: str, reason: str
) -> None:
    """One error, with the file, the line's number and what is wrong with it."""
    recording = two_join()
    recording.lines.append(line)
    code, _, error = run(command, recording.write())

    assert 1 == code
    (complaint,) = error.splitlines()
    assert f"recording.jsonl, line {len(recording.lines)}: {reason}" in complaint


@pytest.mark.parametrize("command", ["replay", "check"])
def test_the_largest_numbers_are_read(run: Run, command: str) -> None:
    """They can be told of, as causes and in dead letters."""
    recording = two_join()
    for topic, key in (("members", "a"), ("heartbeats", None), ("routes", "b"), ("commands", "c")):
        line = {"topic": topic, "partition": 2**31 - 1, "offset": 2**53 - 1, "key": key}
        recording.lines.append(json.dumps({**line, "timestamp": 2**53 - 1, "value": "x"}))

    assert 0 == run(command, recording.write())[0]


def test_lines_that_share_a_place_stay_as_they_came(run: Run) -> None:
    """No log has such records, but a recording made by hand may, with or without keys and texts."""
    recording = Recording()
    for key, value in ((GROUP, None), (None, None), (GROUP, "x"), (None, "x")):
        line = {"topic": "members", "partition": PARTITION, "offset": 0, "timestamp": 1_000}
        recording.lines.append(json.dumps({**line, "key": key, "value": value}))
    code, told, _ = run("replay", recording.write())

    assert 0 == code
    letter = f"dead letter: trimtab.members/{PARTITION}@0: "
    assert ["null_value", "null_key", "garbage", "null_key"] == [
        line.strip().removeprefix(letter).split(":")[0] for line in told.splitlines()[1:]
    ]


def test_a_file_that_is_not_there_is_named(run: Run) -> None:
    """With the exit code that says so."""
    code, _, error = run("replay", "nowhere.jsonl")

    assert (4, "trimtab: nowhere.jsonl: No such file or directory\n") == (code, error)


def test_an_impossible_time_is_refused(run: Run) -> None:
    """Before anything is read."""
    assert 2 == run("replay", two_join().write(), "--until", "soon")[0]


def test_what_is_replayed_can_be_checked(run: Run) -> None:
    """A recording and what was decided of it are one history."""
    name = two_join().write()
    Path("decided.jsonl").write_text(run("replay", name, "--json")[1])

    assert 0 == run("check", name, "decided.jsonl")[0]


# -- check


def test_a_sound_recording_passes(run: Run) -> None:
    """And says what it looked at."""
    code, told, _ = run("check", a_hand_over().write())

    said = "6 records of 1 groups, no violations in what could be examined\n"
    assert (0, said) == (code, told)


def test_a_violation_is_printed_and_the_exit_code_says_so(run: Run) -> None:
    """The invariant, the queue, who, and the records that prove it."""
    recording = a_hand_over()
    recording.assignment("a", 4, 3_000, hold=[(0, 4)])
    code, told, _ = run("check", recording.write())

    assert 3 == code
    assert "I1 billing: orders-0: a@4 and b@3 may both work on it [trimtab.assignments" in told


def test_topics_may_come_in_several_files_in_any_order(run: Run) -> None:
    """The brokers' time puts them in order."""
    lines = a_hand_over().lines
    one, other = Recording(), Recording()
    one.lines, other.lines = lines[4:], lines[:4]

    assert 0 == run("check", one.write("one.jsonl"), other.write("other.jsonl"))[0]


def test_without_releases_members_are_believed_to_let_go(run: Run) -> None:
    """Heartbeats and assignments alone show two holders, and no more than that."""
    recording = a_hand_over()
    del recording.lines[4], recording.lines[:2]
    recording.add("heartbeats", Beat(member="b", incarnation=LIFE, sequence=1, epoch=3), 2_300)

    assert 0 == run("check", recording.write())[0]
    recording.assignment("a", 4, 3_000, hold=[(0, 4)])
    assert 3 == run("check", recording.write())[0]


def test_what_cannot_be_read_is_said_and_not_judged(run: Run) -> None:
    """A record that breaks its contract is nobody's violation."""
    recording = a_hand_over()
    recording.lines.append(recording.lines[0].replace("join", "hijack"))
    code, _, said = run("check", recording.write())

    assert 0 == code
    assert f"not judged: trimtab.members/{PARTITION}@0: unknown_kind" in said


def test_one_group_can_be_judged(run: Run) -> None:
    """Violations of the others are not its business."""
    recording = a_hand_over()
    recording.assignment("a", 4, 3_000, hold=[(0, 4)])

    recording.add("members", join("x"), 3_000, key="other")
    assert 0 == run("check", recording.write(), "--group", "other")[0]


def test_what_rocketmqs_clients_take_from_each_other_is_no_violation(run: Run) -> None:
    """They release nothing: who is told of fewer queues has let the others go."""
    recording = two_join()
    for at, client in ((3_000, "c1"), (4_000, "c2")):
        recording.say(heartbeat(consumer(GROUP, "orders"), clientID=client), at)
        recording.cut(at)
    code, printed, _ = run("replay", recording.write(), "--json")
    Path("decided.jsonl").write_text(printed)

    assert 0 == code
    assert 0 == run("check", "recording.jsonl", "decided.jsonl")[0]
