"""`trimtab groups` and its like: what can be wrong with a question is said at once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from console.commands.group_views import GroupState
from rebalance.groups.model.overview import GroupPhase
from tests.builders.command_line import Run
from tests.unit.console.planning.published_group import Message
from tests.unit.console.views.published_records import START_MS, assignment, granted, group, hold
from trimtab.protocol import encode

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


@pytest.mark.parametrize("at", [(), ("--at", "2026-01-02")], ids=["now", "then"])
def test_an_explanation_looks_as_far_back_as_the_history_goes(
    run: Run, monkeypatch: pytest.MonkeyPatch, at: tuple[str, ...]
) -> None:
    """Where nothing has moved for months, all is as it was told then."""

    def messages(*asked: Any, since: int | None = None, **_: object) -> Iterator[Message]:  # noqa: ANN401 - as Kafka's reader
        for topic, key, record in (
            ("groups", b"billing", group("a")),
            ("assignments", b"billing/a", assignment("a", hold=(hold(0, 2),))),
            ("history", b"billing", granted(0, "a")),
        ):
            if asked[2] == [f"trimtab.{topic}"] and (since or 0) <= START_MS:
                yield Message(key, encode(record))

    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "nowhere:1")
    monkeypatch.setattr("console.published.messages", messages)
    code, out, _ = run("groups", "explain", "billing", "orders-0", *at)

    assert (0, True) == (code, "a got orders-0, which nobody had, under epoch 2" in out)


@pytest.mark.parametrize("asked", ["groups list --state starvd", "queues list a --state lost"])
def test_a_state_that_there_is_not_is_refused(run: Run, asked: str) -> None:
    """An empty table would say that nobody is in it."""
    code, out, err = run(*asked.split())

    assert (USAGE, "") == (code, out)
    assert "is not one of" in err


def test_a_state_that_may_be_named_is_one_there_is() -> None:
    """The command line has a list of its own."""
    assert {*GroupState} == {*map(str, GroupPhase)}
