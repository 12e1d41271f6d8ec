"""A bench on the command line: help, exit codes, and figures as the last line."""

import importlib
import json
import sys
from collections.abc import Callable

import pytest

from bench.command import conclude, run
from console.errors import ExitCode, Failure


def failing() -> None:
    """Fail as a bench does whose Kafka is away."""
    raise Failure("no answer\nafter all", ExitCode.TIMEOUT)


def interrupted() -> None:
    """End as a bench does on Ctrl-C."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("bench", "code", "said"),
    [
        (failing, ExitCode.TIMEOUT, "a bench: no answer\na bench: after all\n"),
        (interrupted, ExitCode.INTERRUPTED, ""),
    ],
)
def test_a_bench_that_fails_says_so_in_its_exit_code(
    bench: Callable[[], None],
    code: ExitCode,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An expected failure is one line for each problem and no traceback."""
    monkeypatch.setattr(sys, "argv", ["a bench"])
    with pytest.raises(SystemExit) as end:
        run(bench, "a bench")
    assert code == end.value.code
    assert said == capsys.readouterr().err


@pytest.mark.parametrize("name", ["allocators", "floor", "fold"])
def test_help_leads_with_examples(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every bench shows how it is called before it lists its options."""
    bench = getattr(importlib.import_module(f"bench.{name}.__main__"), name)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        run(bench, name)
    out = capsys.readouterr().out
    assert end.value.code == ExitCode.OK
    assert out.index("Examples:") < out.index(f"\n    make bench NAME={name}") < out.index("--help")


def test_the_last_line_is_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the table looks like, the last line is one JSON object."""
    conclude("A  B\n1  2", {"idle_p50_ratio": 1.1})
    assert {"idle_p50_ratio": 1.1} == json.loads(capsys.readouterr().out.splitlines()[-1])
