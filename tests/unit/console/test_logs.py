"""Log lines go to stderr: for people, or one JSON object a line and nothing else."""

import errno
import io
import json
import logging
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator

import pytest
import structlog

from console.commands.options import Call
from console.controller import _end_stuck
from console.errors import ExitCode, Failure
from console.logs import configure
from console.settings.sections import LogSettings
from tests.builders.command_line import Run

RUN_JSON = ("run", "--set", "log.format=json")


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave structlog and Python's own hooks as they were."""
    for module, name in (
        (sys, "excepthook"),
        (sys, "unraisablehook"),
        (threading, "excepthook"),
        (warnings, "showwarning"),
        (logging.getLogger(), "handlers"),
        (logging.getLogger(), "level"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    structlog.reset_defaults()
    yield
    structlog.reset_defaults()


def test_json_is_one_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """What collectors expect, exceptions included; nothing on stdout."""
    configure(LogSettings(format="json"))
    structlog.get_logger().error("it happened", group="g", exc_info=RuntimeError("broken"))
    out, err = capsys.readouterr()
    line = json.loads(err)
    assert "" == out
    assert ("it happened", "error", "g") == (line["event"], line["level"], line["group"])
    assert "broken" == line["exception"][0]["exc_value"]


@pytest.mark.parametrize(
    ("term", "no_colour", "has_colours"),
    [("xterm", "", True), ("xterm", "1", False), ("dumb", None, False)],
)
def test_lines_have_colours_where_tables_have(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    term: str,
    no_colour: str | None,
    *,
    has_colours: bool,
) -> None:
    """In some consoles that are terminals they are signs that nobody can read."""
    monkeypatch.setenv("TERM", term)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_colour is not None:
        monkeypatch.setenv("NO_COLOR", no_colour)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    configure(LogSettings())
    structlog.get_logger().info("it happened")

    assert has_colours == ("\x1b[" in capsys.readouterr().err)


class FullDisk(io.StringIO):
    """A file that takes nothing while it is full."""

    is_full = False

    def write(self, text: str) -> int:
        """Take it, or say that there is no room."""
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(text)


def test_a_line_that_cannot_be_written_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a feed, and so not the controller; how many are lost is said once there is room."""
    file = FullDisk()
    monkeypatch.setattr(sys, "stderr", file)
    configure(LogSettings(format="json"))
    log = structlog.get_logger()
    log.info("first")
    file.is_full = True
    log.warning("second")
    log.error("third")
    file.is_full = False
    log.info("fourth")
    log.info("fifth")
    lines = [json.loads(it) for it in file.getvalue().splitlines()]
    lost = "lines of this log come late, or are lost"

    assert ["first", "fourth", lost, "fifth"] == [it["event"] for it in lines]
    assert 2 == lines[2]["lines"]


def test_people_get_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody can see colours there are none."""
    configure(LogSettings())
    structlog.get_logger().info("it happened", group="g")
    _, err = capsys.readouterr()
    assert "it happened" in err
    assert "group=g" in err
    assert "\x1b" not in err


@pytest.mark.parametrize("evil", ["\x9b31m", "\x1b[31m", "\u061c", "\u200f", "\u202e", "\u2066"])
def test_nothing_is_written_that_a_terminal_would_obey(
    capsys: pytest.CaptureFixture[str], evil: str
) -> None:
    """Whoever joins may call a group, or a topic, like that."""
    configure(LogSettings())
    structlog.get_logger().warning(f"é{evil}", group=f"日{evil}", topic=f"two words{evil}")
    _, err = capsys.readouterr()
    assert evil[0] not in err
    assert all(it in err for it in ("é", "日", "two words"))


def test_less_important_lines_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """The level is the least important that is shown."""
    configure(LogSettings(level="warning"))
    structlog.get_logger().info("small")
    structlog.get_logger().warning("large")
    _, err = capsys.readouterr()
    assert "small" not in err
    assert "large" in err


@pytest.mark.parametrize("code", [ExitCode.ERROR, *list(ExitCode)[3:6], ExitCode.TAKEN_OVER])
def test_a_run_that_fails_says_why_in_json(
    run: Run, monkeypatch: pytest.MonkeyPatch, code: ExitCode
) -> None:
    """One line with the exit code, whatever that is, and however many lines there are to say."""

    def fail(*_: object) -> None:
        raise Failure("a is missing\nb is missing", code, details="the end of a log")

    monkeypatch.setattr("console.controller.run", fail)
    ended, out, err = run(*RUN_JSON, "--set", "log.level=error")
    line = json.loads(err)

    assert (code, "") == (ended, out)
    assert ("a is missing\nb is missing", "error", code, "the end of a log") == (
        *(line["event"], line["level"], line["exit_code"], line["details"]),
    )
    assert "exception" not in line

    line = json.loads(run("--debug", *RUN_JSON)[2])
    assert "Failure" == line["exception"][0]["exc_type"]


def test_a_wrong_setting_is_json_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a flag or the environment asks for JSON: a setting in a file may be what is wrong."""
    wrong = ("--set", "policy.strategy=")
    assert run("run", *wrong)[2].startswith("trimtab: ")
    assert ExitCode.USAGE == json.loads(run(*RUN_JSON, *wrong)[2])["exit_code"]
    monkeypatch.setenv("TRIMTAB_LOG__FORMAT", "json")
    assert ExitCode.USAGE == json.loads(run("run", *wrong)[2])["exit_code"]
    assert run("run", *wrong, "--set", "log.format=console")[2].startswith("trimtab: ")


def test_a_hang_is_said_in_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It ends the process at once, so it writes its last line itself."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    _end_stuck("no batch", in_json=True)
    line = json.loads(capsys.readouterr().err)

    assert [ExitCode.STUCK] == ended == [line["exit_code"]]
    assert "the controller hangs: no batch" == line["event"]


def test_progress_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    """Its beginning, its end with the seconds that it took, and what is worth knowing."""
    configure(LogSettings(format="json"))
    progress = Call(in_json=True).progress
    with progress.step("fetching"):
        progress.note("half of it")
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    assert ["fetching", "half of it", "fetching: done"] == [line["event"] for line in lines]
    assert lines[-1]["seconds"] < 60


class Unprintable:
    """Nobody can write it."""

    def __str__(self) -> str:
        """Fail."""
        raise ValueError("unprintable")


@pytest.mark.parametrize(
    ("said", "given"), [("%d queues", ["many"]), ("%s", [Unprintable()]), (Unprintable(), [])]
)
def test_a_library_that_logs_wrongly_works_on(
    capsys: pytest.CaptureFixture[str], said: object, given: list[object]
) -> None:
    """The call does not raise where it stands; which it was is said as JSON."""
    configure(LogSettings(format="json"))
    logging.getLogger("library").error(said, *given)
    line = json.loads(capsys.readouterr().err)

    assert ("library", f"a wrong log call: {said!r}") == (line["logger"], line["event"])
    assert "test_logs.py:" in line["where"]
    assert line["exception"]


PYTHONS_OWN = """\
import logging, threading, warnings
from console.logs import configure
from console.settings.sections import LogSettings

class Untidy:
    def __del__(self):
        raise OSError("untidy")

def fail(secret):
    raise RuntimeError("broken")

configure(LogSettings(format="json"))
warnings.warn("old")
logging.getLogger("library").error("it said so")
thread = threading.Thread(target=fail, args=["p4ssword"], name="feed")
thread.start()
thread.join()
Untidy()
fail("p4ssword")
"""


@pytest.mark.slow
def test_what_python_prints_by_itself_is_json() -> None:
    """Tracebacks of any thread, warnings, libraries' logs; without the variables of the frames."""
    call = [sys.executable, "-c", PYTHONS_OWN]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stderr.splitlines()]

    assert (1, 5) == (done.returncode, len(lines))
    assert ["old", "it said so", "RuntimeError: broken"] == [line["event"] for line in lines[:3]]
    assert ("UserWarning", "library", "feed") == (
        *(lines[0]["category"], lines[1]["logger"], lines[2]["thread"]),
    )
    assert ["RuntimeError", "OSError", "RuntimeError"] == [
        line["exception"][0]["exc_type"] for line in lines[2:]
    ]
    assert "p4ssword" not in done.stderr
