"""Who joins anew again and again is named by `trimtab replay` and `trimtab check`."""

import pytest

from tests.builders.command_line import Run
from tests.builders.log import join
from tests.builders.recording import GROUP, Recording

BOTH = pytest.mark.parametrize("command", ["replay", "check"])


def lives(every_ms: int, count: int) -> Recording:
    """A member that joins anew so often; another one joins once and says so again and again."""
    recording = Recording()
    for number in range(count):
        life = f"{1_767_225_600_000 + number}-00000000"
        recording.add("members", join("a", incarnation=life), 1_000 + number * every_ms)
        recording.add("members", join("b", sequence=1 + number), 1_001 + number * every_ms)
    return recording


@pytest.mark.slow
@BOTH
def test_a_member_that_cannot_hear_is_named(run: Run, command: str) -> None:
    """How often, in how long a time, and where to look."""
    recording = lives(8_000, 30)
    _, _, said = run(command, recording.write())

    assert f"a of {GROUP} joined again 30 times in 232 s: its own log says what failed" in said
    assert f"b of {GROUP} joined anew" not in said
    assert "joined anew" not in run(command, recording.write(), "--group", "another")[2]


@BOTH
def test_a_deploy_now_and_then_is_nothing(run: Run, command: str) -> None:
    """However many there are in a recording, and three in a row."""
    for recording in (lives(600_000, 20), lives(8_000, 3)):
        assert "joined anew" not in run(command, recording.write())[2]
