"""A missing or old tool is one line that says what to install, before anything is downloaded."""

from pathlib import Path

import pytest

from console.embedded.jars import JarCache
from console.embedded.java import find_java, find_maven
from console.errors import ExitCode, Failure


def tool(directory: Path, name: str, script: str) -> Path:
    """An executable that runs ``script``."""
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory on PATH, empty."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


@pytest.mark.parametrize("version", ["17.0.15", "21", "25-ea"])
def test_java_17_or_newer_will_do(path: Path, version: str) -> None:
    """The first number of the version counts, whatever follows it."""
    java = tool(path, "java", f"echo 'openjdk version \"{version}\" 2025-04-15' >&2")
    assert java == find_java()


def test_java_home_wins_over_path(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with every other Java program."""
    tool(path, "java", "echo 'openjdk version \"21\"' >&2")
    home = tool(tmp_path / "jdk" / "bin", "java", "echo 'openjdk version \"17\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    assert home == find_java()


def test_a_wrong_java_home_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PATH is not tried instead: the user has chosen."""
    tool(path, "java", "echo 'openjdk version \"21\"' >&2")
    monkeypatch.setenv("JAVA_HOME", "nowhere")
    with pytest.raises(Failure, match="Java is missing, and JAVA_HOME is nowhere: install Java 17"):
        find_java()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (None, "Java is missing: install Java 17"),
        ("echo 'openjdk version \"11.0.2\"' >&2", "is Java 11: install Java 17"),
        ("exit 1", "is not a working Java: install Java 17"),  # macOS has such a stub
    ],
)
def test_without_java_nothing_is_downloaded(
    path: Path, tmp_path: Path, script: str | None, expected: str
) -> None:
    """One line, exit code 2, and no cache directory."""
    if script is not None:
        tool(path, "java", script)
    with pytest.raises(Failure) as failure:
        JarCache(Path("deploy", "jars"), tmp_path / "cache").fetch()
    assert expected in str(failure.value)
    assert 1 == len(str(failure.value).splitlines())
    assert ExitCode.USAGE == failure.value.exit_code
    assert not (tmp_path / "cache").exists()


def test_without_maven_the_line_says_so(path: Path) -> None:
    """One line, exit code 2."""
    assert not path.exists()
    with pytest.raises(Failure, match="Maven is missing: install it") as failure:
        find_maven()
    assert ExitCode.USAGE == failure.value.exit_code
