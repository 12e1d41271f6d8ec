"""What is said while long work goes on, and beside a result."""

from collections.abc import Callable

import pytest

from console.progress import Stderr


def _said(progress: Stderr, text: str) -> None:
    progress.note(text)


def _done(progress: Stderr, text: str) -> None:
    with progress.step(text):
        pass


@pytest.mark.parametrize("name", ["[/x]", "team[red]orders", "[bold]", ":smile:"])
@pytest.mark.parametrize("say", [_said, _done])
def test_a_name_that_looks_like_markup_is_said_as_it_is(
    capsys: pytest.CaptureFixture[str], say: Callable[[Stderr, str], None], name: str
) -> None:
    """Kafka lets a group be called so: none may end a command, or lose a part of its name."""
    say(Stderr(), f"lags of {name} were not looked at")

    assert f"lags of {name} were not looked at" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["[/x]", "team[red]orders"])
def test_on_a_terminal_as_well(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """There the line is alive while the work goes on."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    _done(Stderr(), f"reading {name}")

    assert f"reading {name}: done in" in capsys.readouterr().err
