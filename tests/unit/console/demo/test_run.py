"""A demo empties its folder before it begins, and nobody else's."""

from pathlib import Path

import pytest

from console.demo import run as running
from tests.builders.command_line import Run, caller


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """The command line, where a demo ends as soon as its folder is made."""

    def perform(directory: Path, *_: object) -> None:
        (directory / "logs").mkdir()
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(running, "_perform", perform)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    return caller(monkeypatch, capsys)


def test_a_folder_that_is_no_demos_is_left_alone(run: Run, tmp_path: Path) -> None:
    """Many projects have one of that name."""
    notes = tmp_path / "demo" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    code, out, err = run("demo", "--set", "home=.")

    assert (2, "", "mine") == (code, out, notes.read_text())
    assert "is no demo's" in err


def test_what_an_earlier_demo_has_left_is_emptied(run: Run, tmp_path: Path) -> None:
    """However it ended, also before it had written anything."""
    (tmp_path / "demo").mkdir()
    for _ in range(2):
        code, _, err = run("demo", "--set", "home=.")
        assert 130 == code, err


def test_what_was_deleted_by_half_is_deleted_by_the_next(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Ctrl-C may come while an earlier demo's Kafka is deleted, which takes longest."""
    run("demo", "--set", "home=.")
    notes = tmp_path / "demo" / "logs" / "notes.txt"
    notes.write_text("of the first one")
    with monkeypatch.context() as half:

        def interrupted(path: Path, **_: object) -> None:
            for it in path.iterdir():
                if it.is_file():
                    it.unlink()
            raise KeyboardInterrupt

        half.setattr("shutil.rmtree", interrupted)
        run("demo", "--set", "home=.")
    code, _, err = run("demo", "--set", "home=.")

    assert (130, False) == (code, notes.exists()), err
