"""Where the JVM and its Python workers meet."""

import stat
from pathlib import Path

import pytest

from streaming.process.sockets import meeting_place


def test_they_meet_by_the_shorter_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home below where the controller starts has a short name, however deep that is."""
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.chdir(deep)

    assert "home/sockets" == meeting_place(deep / "home" / "sockets")
    assert [] == list((deep / "home" / "sockets").iterdir())
    assert 0o700 == stat.S_IMODE((deep / "home" / "sockets").stat().st_mode)


def test_they_do_not_meet_where_no_socket_has_a_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then Spark uses TCP, as it does by default."""
    monkeypatch.chdir("/")
    assert meeting_place(tmp_path / ("d" * 100)) is None


@pytest.mark.parametrize("step", ["bind", "connect"])
def test_they_do_not_meet_where_sockets_do_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Some file systems have none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(f"socket.socket.{step}", _refused)
    assert meeting_place(tmp_path / "home") is None
    assert [] == list((tmp_path / "home").iterdir())


def _refused(*_: object) -> None:
    raise OSError("Operation not permitted")
