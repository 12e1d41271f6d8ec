"""`trimtab check` says what it could not judge for want of records."""

import json
from pathlib import Path

from tests.builders.command_line import Run
from tests.builders.log import LIFE, beat, join, route
from tests.builders.recording import GROUP, PARTITION, Recording, a_hand_over, two_join
from trimtab.protocol import Cause, MemberChanged, Pause, Release


def test_what_could_not_be_examined_is_said(run: Run) -> None:
    """On stderr, and to programs: that nothing was found wrong would be more than is known."""
    name = a_hand_over().write()
    _, _, errors = run("-q", "check", name)
    _, told, _ = run("check", name, "-o", "json")
    alone = "clocks of brokers alone tell when releases were read"
    missing = [
        "I6: there is no record of heartbeats, history",
        "I18: there is no record of groups",
        f"I1: {alone}: there is no record of groups, history",
    ]

    assert [f"not examined: {it}" for it in missing] == errors.splitlines()
    assert missing == json.loads(told)["not_examined"]


def test_of_a_whole_recording_everything_is_examined(run: Run) -> None:
    """What was heard, and all that was decided."""
    recording = two_join()
    recording.add("heartbeats", beat("a"), 3_000)
    name = recording.write()
    Path("decided.jsonl").write_text(run("replay", name, "--json")[1])
    code, told, errors = run("check", name, "decided.jsonl")

    assert (0, "") == (code, errors)
    assert told.endswith("no violations\n")


def test_what_this_release_cannot_read_was_not_examined(run: Run) -> None:
    """Also to who wants quiet, in one line: garbage may come by the million."""
    recording = a_hand_over()
    lines = [json.loads(it) for it in recording.lines]
    for line in lines:
        if line["topic"] == "assignments":
            line["value"] = line["value"].replace('"v":1', '"v":2', 1)
    name = "newer.jsonl"
    Path(name).write_text("\n".join(map(json.dumps, [*lines, *_garbage(5)])) + "\n")
    code, told, errors = run("-q", "check", name)
    unjudged, *rest = errors.splitlines()

    assert 0 == code
    assert told.endswith("no violations in what could be examined\n")
    assert unjudged.startswith("not judged: trimtab.")
    assert unjudged.endswith(" and 5 more")
    assert "not examined: 3 records of assignments: unreadable here" in rest


def test_what_cannot_be_read_of_neighbours_leaves_no_doubt_of_a_group(run: Run) -> None:
    """A record of its own does, and one that may be: its key cannot be read either."""
    recording = two_join()
    recording.add("heartbeats", beat("a"), 3_000)
    Path("decided.jsonl").write_text(run("replay", recording.write(), "--json")[1])

    def told(*keys: str) -> str:
        place = {"partition": PARTITION, "timestamp": 4_000, "value": "later"}
        topics = ["assignments" if "/" in key else "history" for key in keys]
        lines = [
            {"topic": topic, "offset": 900 + number, "key": key, **place}
            for number, (topic, key) in enumerate(zip(topics, keys, strict=True))
        ]
        Path("later.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
        files = (recording.write(), "decided.jsonl", "later.jsonl")
        return str(run("check", *files, "--group", GROUP)[1])

    assert told("other", "other/a").endswith(f"no violations of {GROUP}\n")
    for key in (GROUP, f"{GROUP}/a", ""):
        assert told(key).endswith("in what could be examined\n")


def test_what_nobody_can_read_leaves_no_doubt_of_what_was_published(run: Run) -> None:
    """Whoever may write may write garbage, and the controller sets it aside."""
    recording = two_join()
    recording.add("heartbeats", beat("a"), 3_000)
    Path("decided.jsonl").write_text(run("replay", recording.write(), "--json")[1])
    Path("garbage.jsonl").write_text("\n".join(map(json.dumps, _garbage(2))) + "\n")
    _, told, _ = run("check", recording.write(), "decided.jsonl", "garbage.jsonl")

    assert told.endswith("no violations\n")


def _garbage(count: int) -> list[dict[str, object]]:
    place = {"topic": "members", "partition": PARTITION, "timestamp": 4_000, "key": GROUP}
    return [{**place, "offset": 900 + it, "value": "garbage"} for it in range(count)]


def test_an_eviction_whose_cause_is_not_there_is_not_judged_and_counted(run: Run) -> None:
    """Nobody can say how long the member had been silent."""
    recording = a_hand_over()
    recording.add("heartbeats", beat("b"), 2_300)
    assert [] == _unjudged(run, recording)

    gone = MemberChanged(
        group=GROUP,
        member="b",
        incarnation=LIFE,
        event="expired",
        at_ms=60_000,
        cause=Cause(kind="tick", topic="trimtab.heartbeats", partition=PARTITION, offset=99),
    )
    recording.add("history", gone, 60_000)
    (said,) = _unjudged(run, recording)
    assert said.startswith("I6: 1 eviction: ")


def _unjudged(run: Run, recording: Recording, what: str = "eviction") -> list[str]:
    told = run("check", recording.write(), "-o", "json")[1]
    return [it for it in json.loads(told)["not_examined"] if what in it]


def test_whose_joining_retention_has_taken_is_not_judged_and_counted(run: Run) -> None:
    """Members join once, and their joining is kept for a week."""
    recording = two_join()
    recording.add("heartbeats", beat("a"), 3_000)
    decided = run("replay", recording.write(), "--json")[1]
    Path("decided.jsonl").write_text(decided.replace("orders", "secret"))
    assert "I10" in run("check", recording.write(), "decided.jsonl")[1]

    recording.lines = [it for it in recording.lines if r'"member\":\"a' not in it]
    _, told, errors = run("-q", "check", recording.write(), "decided.jsonl")
    assert "I10 billing: secret-1: granted to b, which" in told
    assert "not examined: I10: 1 member: there is no record of the joining" in errors


def test_what_retention_may_have_answered_is_counted(run: Run) -> None:
    """The release of a queue that another holds now, and the beat that asked for a record."""
    recording = Recording()
    recording.add("members", join("a"), 900)
    recording.assignment("a", 1, 1_000, hold=[(0, 1), (1, 1)])
    recording.assignment("a", 2, 1_100, hold=[(1, 1)], give=[(0, 1)])
    recording.add("heartbeats", beat("a"), 900_000)
    recording.add("releases", Release(member="a", incarnation=LIFE, sequence=7, queues=()), 900_001)
    assert [] == _unjudged(run, recording, " grant")

    recording.assignment("b", 3, 1_200, hold=[(0, 3)])
    recording.assignment("b", 4, 1_300, hold=[(0, 3)])
    (grant,) = _unjudged(run, recording, "I1: 1 grant")
    assert grant.endswith("what may have ended it, a release or a leave")
    (again,) = _unjudged(run, recording, "I14: 1 repetition: ")
    assert again.endswith("who may have asked for it")


def test_what_is_said_again_for_an_asking_that_was_not_recorded_is_counted(run: Run) -> None:
    """A command to rebalance, and what a start has found; by a record of these it is judged."""
    for cause, topic, other in (
        ("command", "commands", Pause(id="c1", principal="ann", reason="so")),
        ("adoption", "routes", route(queues=2)),
    ):
        recording = Recording()
        recording.add("members", join("a"), 900)
        recording.assignment("a", 1, 1_000, hold=[(0, 1)])
        recording.assignment("a", 2, 2_000, cause, hold=[(0, 1)])
        (again,) = _unjudged(run, recording, "I14: 1 repetition: ")
        assert again.endswith("who may have asked for it")
        assert 0 == run("check", recording.write())[0]

        recording.add(topic, other, 1_500)
        assert [] == _unjudged(run, recording, "I14")
        assert "I14 billing: a: told again" in run("check", recording.write())[1]
