"""What tests of the console share: a command line, and settings to fill and what comes of them."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from console.errors import ExitCode, Failure
from console.settings import Loaded, load
from tests.builders.command_line import Run, caller


@dataclass
class Sources:
    """Three sources to fill, and the settings that come of them."""

    file: Path
    environment: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        """Fill the file."""
        self.file.write_text(text)

    def load(self) -> Loaded:
        """Read all three."""
        return load(
            config=self.file if self.file.exists() else None,
            key_values=self.flags,
            environment=self.environment,
        )

    def refusal(self) -> list[str]:
        """The lines that the user sees; the exit code is always that of a wrong call."""
        with pytest.raises(Failure) as failure:
            self.load()
        assert ExitCode.USAGE == failure.value.exit_code
        return str(failure.value).replace(str(self.file), "FILE").splitlines()


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sources:
    """Empty sources, in a directory without a settings file."""
    monkeypatch.chdir(tmp_path)
    return Sources(tmp_path / "given.toml")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """The command line, where there are no settings."""
    monkeypatch.chdir(tmp_path)
    return caller(monkeypatch, capsys)
