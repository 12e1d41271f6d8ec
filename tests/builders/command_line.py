"""Call `trimtab ARGUMENTS` within the test's own process, where its settings can be arranged."""

import sys
from collections.abc import Callable
from functools import cache

import pytest
import typer

from console.main import main

_once = cache(typer.main.get_command)
"""Makes all commands of ours, which takes Typer longer than most of them then do."""

Run = Callable[..., tuple[int, str, str]]
"""Takes arguments; gives exit code, stdout and stderr."""


def caller(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, ready to be called."""
    monkeypatch.setattr(typer.main, "get_command", _once)

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["trimtab", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        assert isinstance(end.value.code, int)
        return end.value.code, *capsys.readouterr()

    return call
