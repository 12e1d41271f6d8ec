"""`trimtab-guard`: what it says to people."""

import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.builders.application import WAIT_S
from tests.builders.checkout import ROOT, text
from tests.unit.sdk.supervised import INSTALLED, Run, command_of, line_of, python
from trimtab import supervisor


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (
            ["nowhere-to-be-found"],
            127,
            "nowhere-to-be-found: PATH names no folder with it: install",
        ),
        (["./nowhere"], 127, "./nowhere: there is no such file. Give the path"),
        (["/"], 126, "/: this is a folder. Give the path"),
        ([str(ROOT / "README.md")], 126, "it may not be executed: chmod +x"),
    ],
)
def test_a_command_that_cannot_be_run_is_explained(
    run: Run, command: list[str], code: int, said: str
) -> None:
    """By the shell's codes, and with what to do."""
    process = run(command)
    _, errors = process.communicate(timeout=WAIT_S)

    assert (code, True) == (process.returncode, said in errors)
    assert errors.startswith("trimtab-guard: ")


def test_a_place_that_cannot_be_written_is_no_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A container's disk may be read-only: memory is not. A name may be too long for a socket."""
    deep = tmp_path / ("long" * 30)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    one = supervisor.Supervisor(["true"])
    listener, address = one._listen()  # noqa: SLF001 - the rest would only be told
    with listener:
        one._clear_up()  # noqa: SLF001 - as above

    assert address.startswith("/dev/shm/trimtab-guard-")  # noqa: S108 - that is the point
    assert [] == list(deep.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [([], "no command. Say what to run"), (["--gard", "true"], "--gard: there is no such option")],
)
def test_a_mistake_is_named(run: Run, arguments: list[str], said: str) -> None:
    """With exit code 2, as everywhere."""
    process = run(arguments, by=INSTALLED)
    _, errors = process.communicate(timeout=WAIT_S)

    assert (2, True) == (process.returncode, said in errors)


def test_it_explains_itself(run: Run) -> None:
    """What it is for, then examples; and its version is the SDK's."""
    helped, _ = run(["--help"], by=INSTALLED).communicate(timeout=WAIT_S)
    told, _ = run(["--version"], by=INSTALLED).communicate(timeout=WAIT_S)

    assert supervisor.HELP == helped
    assert helped.index("Examples") < helped.index("Usage")
    assert f"trimtab-guard {version('trimtab')}\n" == told


def test_what_is_installed_is_this(run: Run) -> None:
    """The command of the SDK's own distribution; it runs without the package, and is small."""
    project = text(Path("clients/python/pyproject.toml"))
    assert 'trimtab-guard = "trimtab.supervisor:main"' in project
    process = run(
        ["--", *python("import os; print(os.getppid(), flush=True); input()")], by=INSTALLED
    )
    pid = int(line_of(process))

    assert process.pid == pid
    assert f"-IS {supervisor.__file__}" in command_of(pid)
    process.communicate("over\n", WAIT_S)
    assert process.returncode == 0
