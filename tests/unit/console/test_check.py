"""`trimtab check` where only heartbeats and assignments were recorded."""

import json

from tests.builders.command_line import Run
from tests.builders.log import LIFE, beat, join
from tests.builders.recording import GROUP, Recording
from trimtab.protocol import Advance, Release


def beats() -> str:
    """Two members beat, once, before anything is decided."""
    recording = Recording()
    for member in "ab":
        recording.add("heartbeats", beat(member), 950)
    return recording.write("heartbeats.jsonl")


def two_owners() -> Recording:
    """A is told to hold a queue, and so is b, and nobody withdraws a's orders."""
    recording = Recording()
    recording.assignment("a", 1, 1_000, hold=[(0, 1)])
    recording.assignment("b", 2, 1_100, hold=[(0, 2)])
    return recording


def test_two_owners_are_found(run: Run) -> None:
    """Whoever leaves has its orders withdrawn, so a is there, whether it beats or not."""
    code, told, _ = run("check", beats(), two_owners().write("assignments.jsonl"))

    assert 3 == code
    assert "I1 billing: orders-0: a@1 and b@2 may both work on it" in told


def test_programs_get_each_violation(run: Run) -> None:
    """Which promise is broken, for what, and by which records; the exit code is the same."""
    code, told, _ = run("check", beats(), two_owners().write("assignments.jsonl"), "-o", "json")
    result = json.loads(told)

    assert (3, 1) == (code, result["groups"])
    (violation,) = [it for it in result["violations"] if it["invariant"] == "I1"]
    assert (GROUP, "orders-0") == (violation["group"], violation["subject"])
    assert violation["places"]


def test_nothing_to_judge_is_no_success(run: Run) -> None:
    """A wrong prefix, an empty file, or only what cannot be read."""
    recording = Recording()
    recording.say(b"garbage", 1_000)
    code, told, said = run("check", recording.write())

    assert 4 == code
    assert "0 records of 0 groups, no violations" in told
    assert "nothing was judged" in said


def test_what_retention_has_taken_accuses_nobody(run: Run) -> None:
    """Releases of the first days are gone; compaction has left the assignments of that time."""
    recording = Recording()
    recording.add("members", join("a"), 900)
    recording.assignment("a", 1, 1_000, hold=[(0, 1), (1, 1)])
    recording.assignment("a", 2, 1_100, hold=[(1, 1)], give=[(0, 1)])
    recording.assignment("b", 3, 1_200, hold=[(0, 3)])
    recording.add("heartbeats", beat("a"), 900_000)
    recording.add("releases", Release(member="a", incarnation=LIFE, sequence=7, queues=()), 900_001)
    assert 0 == run("check", recording.write())[0]

    recording.assignment("a", 5, 900_002, hold=[(1, 1), (0, 5)])
    recording.assignment("a", 6, 900_003, hold=[(1, 1)], give=[(0, 5)])
    recording.assignment("c", 7, 900_004, hold=[(0, 7)])
    assert 3 == run("check", recording.write())[0]


def test_a_record_that_is_told_again_may_have_been_asked_for(run: Run) -> None:
    """By a beat, and those are kept for a day."""
    recording = Recording()
    recording.add("members", join("a"), 900)
    recording.assignment("a", 1, 1_000, hold=[(0, 1)])
    recording.assignment("a", 2, 1_100, hold=[(0, 1)])
    recording.add("heartbeats", beat("a"), 900_000)
    assert 0 == run("check", recording.write())[0]

    recording.assignment("a", 3, 900_100, hold=[(0, 1)])
    recording.assignment("a", 4, 900_200, hold=[(0, 1)])
    assert 3 == run("check", recording.write())[0]


def test_two_owners_are_found_by_their_assignments_alone(run: Run) -> None:
    """As compaction leaves them: the newest of each member."""
    assert 3 == run("check", two_owners().write())[0]


def test_a_clean_hand_over_is_none(run: Run) -> None:
    """Told to give, and then named no more."""
    recording = Recording()
    recording.assignment("a", 1, 1_000, hold=[(0, 1), (1, 1)])
    recording.assignment("a", 2, 1_100, hold=[(1, 1)], give=[(0, 1)])
    recording.assignment("b", 2, 1_100)
    recording.assignment("b", 3, 1_200, hold=[(0, 2)])
    recording.assignment("a", 3, 1_200, hold=[(1, 1)])

    assert 0 == run("check", beats(), recording.write("assignments.jsonl"))[0]


def test_a_tombstone_behind_the_successors_assignment_is_in_time(run: Run) -> None:
    """The records of one batch stand in no agreed order."""
    recording = two_owners()
    recording.add("assignments", None, 1_100, key=f"{GROUP}/a")
    recording.assignment("b", 3, 1_200, hold=[(0, 2), (1, 3)])

    assert 0 == run("check", beats(), recording.write("assignments.jsonl"))[0]


def test_a_tombstone_behind_the_next_epoch_is_too_late(run: Run) -> None:
    """Until then both might work."""
    recording = two_owners()
    recording.assignment("b", 3, 1_200, hold=[(0, 2), (1, 3)])
    recording.add("assignments", None, 1_200, key=f"{GROUP}/a")

    assert 3 == run("check", beats(), recording.write("assignments.jsonl"))[0]


def test_a_controller_that_began_needs_no_beats(run: Run) -> None:
    """Where nobody's joining is shown, no partition's time is known."""
    recording = Recording()
    recording.add("routes", Advance(start=LIFE, epoch=1, decided_ms=900), 950)
    recording.assignment("a", 1, 1_000, hold=[(0, 1)])

    assert 0 == run("check", recording.write())[0]
