"""`trimtab groups` and its like: what can be wrong with a question is said at once."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from console.commands.group_views import GroupState
from rebalance.groups.model.overview import GroupPhase
from tests.builders.command_line import Run

USAGE, INTERRUPTED = 2, 130
PATIENCE_S = 60.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("groups", "history", "a", "--since", "soon"), "trimtab: --since: soon is no time"),
        (("groups", "explain", "a", "--at", "99:99"), "trimtab: --at: 99:99 is no time"),
        (("deadletters", "list", "--since", "9" * 20), "trimtab: --since: it must lie between"),
        (
            ("groups", "explain", "a", "--at", "1767225600"),
            "trimtab: --at: 1767225600 has no unit: write 90s for",
        ),
        (("groups", "history", "a", "--since", "90"), "trimtab: --since: 90 has no unit: "),
        (("groups", "history", "a", "--until", "2026"), "trimtab: --until: 2026 has no unit"),
        (
            ("groups", "history", "a", "--since", "2999-01-01"),
            "trimtab: --since: 2999-01-01 has not come yet",
        ),
        (
            ("groups", "explain", "a", "--at", "2999-01-01"),
            "trimtab: --at: 2999-01-01 has not come yet",
        ),
        (
            ("groups", "history", "a", "--since", "1h", "--until", "2h"),
            "trimtab: --since: 1h is after --until 2h",
        ),
        (
            ("groups", "explain", "a", "--since", "1d", "--at", "2d"),
            "trimtab: --since: 1d is after --at 2d",
        ),
        (
            ("replay", "a.jsonl", "--since", "2026-01-02", "--until", "2026-01-01"),
            "trimtab: --since: 2026-01-02 is after --until 2026-01-01",
        ),
        (("groups", "describe", "$tick"), "trimtab: GROUP: "),
        (("queues", "list", "a\nb"), "trimtab: GROUP: "),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], text: str
) -> None:
    """One line that names what is wrong, before Kafka is asked."""
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "127.0.0.1:1")
    code, out, err = run(*arguments)

    assert (USAGE, "") == (code, out)
    assert err.startswith(text)
    assert 1 == len(err.splitlines())


@pytest.mark.slow
def test_ctrl_c_ends_a_command_that_waits_for_kafka() -> None:
    """At once, though its client waits in C for longer; with nothing on stderr."""
    cluster = {**os.environ, "TRIMTAB_KAFKA__BOOTSTRAP_SERVERS": "127.0.0.1:1"}
    call = [sys.executable, "-m", "console.main", "groups", "list"]
    with subprocess.Popen(call, env=cluster, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + PATIENCE_S
        while not _asks_kafka(process.pid):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)

    assert (INTERRUPTED, "") == (process.returncode, err)


def _asks_kafka(pid: int) -> bool:
    """Whether Kafka's client has begun: its threads have names."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            if (thread / "comm").read_text().startswith("rdk:"):
                return True
    return False


@pytest.mark.parametrize("asked", ["groups list --state starvd", "queues list a --state lost"])
def test_a_state_that_there_is_not_is_refused(run: Run, asked: str) -> None:
    """An empty table would say that nobody is in it."""
    code, out, err = run(*asked.split())

    assert (USAGE, "") == (code, out)
    assert "is not one of" in err


def test_a_state_that_may_be_named_is_one_there_is() -> None:
    """The command line has a list of its own."""
    assert {*GroupState} == {*map(str, GroupPhase)}
