"""What `trimtab replay` and `trimtab check` say of a recording from which little comes."""

import json
from pathlib import Path

import pytest

from tests.builders.command_line import Run
from tests.builders.log import join, route
from tests.builders.recording import GROUP, Recording, two_join
from tests.builders.rocketmq import consumer, heartbeat
from trimtab.protocol import TOPICS

BOTH = pytest.mark.parametrize("command", ["replay", "check"])

EARLY = (
    "routes before any subscription (orders of billing): a group uses only routes that come after"
)


def remarked(run: Run, *arguments: str) -> tuple[int, str]:
    """Run a command; what `check` could not examine is another matter (`test_not_examined`)."""
    code, _, said = run(*arguments)
    lines = said.splitlines(keepends=True)
    return code, "".join(it for it in lines if not it.startswith("not examined: "))


def everything() -> Recording:
    """A recording that holds a record of every topic that trimtab knows."""
    recording = two_join()
    for topic in TOPICS:
        recording.add(topic, None, 2_000)
    return recording


@BOTH
def test_a_recording_that_is_what_it_should_be_calls_for_no_remark(run: Run, command: str) -> None:
    """Nor do topics that the controller writes, or that are nobody's business here."""
    _, said = remarked(run, command, everything().write())

    assert "" == "".join(line for line in said.splitlines() if "not judged" not in line)


@BOTH
def test_records_of_strange_topics_are_counted(run: Run, command: str) -> None:
    """Three topics are named: most often, all have the prefix of another controller."""
    recording = two_join()
    for topic in ("[/b].members", "b.heartbeats", "b.heartbeats", "b.releases"):
        recording.add(topic, join("c"), 3_000)
    names = "[/b].members, b.heartbeats, b.releases"
    asked = "is topics.prefix right?\n"

    code, said = remarked(run, command, recording.write())
    assert (0, f"4 records of topics that are not read ({names}): {asked}") == (code, said)
    recording.add("b.routes", join("c"), 3_000)
    code, said = remarked(run, command, recording.write())
    assert (0, f"5 records of topics that are not read ({names}, ...): {asked}") == (code, said)


@BOTH
def test_a_group_of_which_there_is_nothing_is_named(run: Run, command: str) -> None:
    """It may be misspelt; one that is there is not remarked on."""
    name = two_join().write()

    assert (4, "no record of group other\n") == remarked(run, command, name, "--group", "other")
    assert (4, "no record of group [/x]\n") == remarked(run, command, name, "--group", "[/x]")
    assert (0, "") == remarked(run, command, name, "--group", GROUP)


@BOTH
def test_a_group_that_is_only_in_a_heartbeat_of_rocketmq_is_met(run: Run, command: str) -> None:
    """Its name is in no key; and a client that is called as a group is not that group."""
    recording = Recording()
    recording.say(heartbeat(consumer(GROUP, "orders"), clientID="c"), 1_000)
    name = recording.write()

    assert (0, "") == remarked(run, command, name, "--group", GROUP)
    assert (4, "no record of group c\n") == remarked(run, command, name, "--group", "c")


def test_a_group_whose_assignments_alone_are_recorded_is_met(run: Run) -> None:
    """By the first half of their keys."""
    recording = Recording()
    recording.assignment("a", 1, 1_000, hold=[(0, 1)])

    assert (0, "") == remarked(run, "check", recording.write(), "--group", GROUP)


def test_a_group_that_comes_after_the_end_is_not_met(run: Run) -> None:
    """What is not read is not there."""
    said = run("replay", two_join().write(), "--group", GROUP, "--until", "1970-01-01T00:00:00.5Z")[
        2
    ]

    assert f"no record of group {GROUP}\n" == said


def test_records_in_other_partitions_are_counted(run: Run) -> None:
    """A cluster with another number of partitions has most groups elsewhere."""
    code, _, said = run("replay", two_join().write(), "-s", "topics.partitions=3")

    assert 0 == code
    assert (
        "3 records are in a different partition than their key gives with topics.partitions = 3: "
        "was it recorded with another number?\n"
    ) == said


def test_other_dead_letters_call_for_no_remark(run: Run) -> None:
    """They are told among what was decided."""
    recording = two_join()
    recording.add("members", None, 3_000)
    _, told, said = run("replay", recording.write())

    assert "null_value" in told
    assert "" == said


def test_a_route_that_nobody_awaited_is_remarked_on(run: Run) -> None:
    """If the group has none in the end: the recording seems to hold what it needs."""
    recording = Recording()
    recording.add("routes", route(queues=2), 500)
    recording.add("members", join("a"), 1_000)
    name = recording.write()

    code, _, said = run("replay", name)
    assert (0, f"{EARLY} its first join\n") == (code, said)
    assert "no record of group other\n" == run("replay", name, "--group", "other")[2]
    recording.add("routes", route(queues=2), 1_500)
    assert "" == run("replay", recording.write())[2]


def test_a_route_that_is_not_recorded_is_not_said_to_be_early(run: Run) -> None:
    """Another topic's, or another group's; and what cannot be read is no route."""
    recording = Recording()
    recording.add("routes", route("bills"), 500)
    recording.add("routes", route(version=0), 500)
    recording.add("routes", join("a"), 600)
    recording.add("members", join("a"), 1_000)

    assert "" == run("replay", recording.write())[2]


def test_what_is_printed_is_not_mixed_with_remarks(run: Run) -> None:
    """They go to stderr, and nowhere if one wants quiet."""
    recording = two_join()
    plain = run("replay", recording.write(), "--json")[1]
    recording.add("b.members", join("c"), 3_000)
    Path("recording.jsonl").write_text("\n".join(recording.lines))

    _, printed, said = run("replay", "recording.jsonl", "--json")
    assert plain == printed
    assert "" != said
    assert all(json.loads(line) for line in printed.splitlines())
    assert (0, plain, "") == run("--quiet", "replay", "recording.jsonl", "--json")


@BOTH
def test_nothing_of_a_record_moves_the_cursor(run: Run, command: str) -> None:
    """Anybody may write to the topics, and some keys are read before anything refuses them."""
    recording, evil = Recording(), "\x1b]0;gone\x07\x9b2J"
    for number in range(5):
        life = f"{1_767_225_600_000 + number}-00000000"
        recording.add("members", join("a", incarnation=life), 1_000 + number, key=evil)
    recording.add("history", None, 2_000, key=evil)
    recording.add(f"{evil}.routes", None, 2_000)
    cut = ("--every", "300") if command == "replay" else ()
    _, told, said = run(command, recording.write(), *cut)

    shown = evil.encode("unicode_escape").decode()
    assert f"a of {shown} joined again" in said
    assert not {"\x1b", "\x07", "\x9b"} & {*told, *said}
