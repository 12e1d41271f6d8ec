"""Who joins again and again is named by `trimtab replay` and `trimtab check`."""

from random import Random

import pytest

from console.recordings.replaying import Replay
from console.settings import load
from console.wiring import described
from tests.builders.command_line import Run
from tests.builders.log import join, route
from tests.builders.recording import GROUP, Recording
from tests.unit.console.a_controller import Cluster

BOTH = pytest.mark.parametrize("command", ["replay", "check"])
SEPARATE = {"TRIMTAB_POLICY__ON_TWIN": "separate"}


def life(number: int) -> str:
    """One of many."""
    return f"{1_767_225_600_000 + number}-00000000"


def lives(every_ms: int, count: int) -> Recording:
    """A member that joins anew so often; another one joins once and says so again and again."""
    recording = Recording()
    for number in range(count):
        again = join("a", incarnation=life(number))
        recording.add("members", again, 1_000 + number * every_ms)
        recording.add("members", join("b", sequence=1 + number), 1_001 + number * every_ms)
    return recording


@pytest.mark.slow
@BOTH
def test_a_member_that_cannot_hear_is_named(run: Run, command: str) -> None:
    """How often, in how long a time, and where to look."""
    recording = lives(8_000, 30)
    _, _, said = run(command, recording.write())

    assert f"a of {GROUP} joined again 30 times in 232 s: its own log says what failed" in said
    assert f"b of {GROUP} joined again" not in said
    assert "joined again" not in run(command, recording.write(), "--group", "another")[2]


@BOTH
def test_a_deploy_now_and_then_is_nothing(run: Run, command: str) -> None:
    """However many there are in a recording, and three in a row."""
    for recording in (lives(600_000, 20), lives(8_000, 3)):
        assert "joined again" not in run(command, recording.write())[2]


@BOTH
def test_replicas_that_share_a_name_by_rule_are_nothing(run: Run, command: str) -> None:
    """Each is a member under a name of its own, and they were started together."""
    recording = lives(100, 6)
    recording.add("routes", route(queues=2), 2_000)
    separate = ("--set", "policy.on_twin=separate") if command == "replay" else ()
    if command == "check":
        for number in range(6):
            recording.add("assignments", None, 2_000, key=f"{GROUP}/a@{life(number)}")

    assert "joined again" not in run(command, recording.write(), *separate)[2]


@BOTH
@pytest.mark.parametrize("is_kept", [True, False], ids=["all", "without what was told long ago"])
def test_nor_where_the_history_was_recorded(run: Run, command: str, is_kept: bool) -> None:  # noqa: FBT001 - by pytest
    """Of every cluster it is: it names each life, and for as long as its joining is kept."""
    controller = Replay.of(described(load(environment=SEPARATE).settings))
    cluster = Cluster(Random(1), controller=controller)
    cluster.lives(2)
    for number in range(6):
        cluster.says("members", join("a", incarnation=life(number)))
        cluster.lives(1)
    separate = ("--set", "policy.on_twin=separate") if command == "replay" else ()
    code, _, said = run(command, cluster.write(*(() if is_kept else ["assignments"])), *separate)

    assert 0 == code
    assert "joined again" not in said
