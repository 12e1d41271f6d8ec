"""A standby's rehearsal: what is left of one that failed, and whether it works."""

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from console.settings import load
from console.wiring import options
from streaming import rehearsal
from streaming.rehearsal import Rehearsal
from streaming.session import scratch


def test_only_the_last_one_has_a_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A standby may stand by for months, and each of them leaves a checkpoint behind."""
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    chosen = options(settings, bootstrap_servers="k:1", jars=tmp_path)
    scratch(chosen).mkdir()
    places: list[Path] = []

    def begun(_name: str, place: str) -> MagicMock:
        """Begin a query, which writes down where it is and fails."""
        places.append(Path(place))
        places[-1].mkdir()
        query: Any = MagicMock(isActive=False, recentProgress=())
        return MagicMock(start=lambda: query)

    writer = MagicMock(option=begun)
    for step in ("queryName", "outputMode", "format", "trigger", "options"):
        getattr(writer, step).return_value = writer
    monkeypatch.setattr(rehearsal, "folded", MagicMock())
    monkeypatch.setattr(rehearsal, "observed", lambda _: MagicMock(writeStream=writer))
    monkeypatch.setattr(rehearsal, "_PAUSE_S", 0.0)

    it = Rehearsal(MagicMock(), chosen, MagicMock())
    for _ in range(3):
        it.is_done()
        assert not it.works()

    assert 3 == len(set(places))
    assert [places[-1]] == [*scratch(chosen).iterdir()]


def test_it_works_when_a_query_that_runs_has_read(tmp_path: Path) -> None:
    """By this a standby knows that it would do better than one that fails."""
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    here = options(settings, bootstrap_servers="k:1", jars=tmp_path)
    it = Rehearsal(MagicMock(), here, MagicMock())
    for rows, is_active in ((0, True), (7, False), (7, True)):
        it._query = MagicMock(isActive=is_active, recentProgress=[MagicMock(numInputRows=rows)])  # noqa: SLF001 - Spark's
        assert (rows > 0 and is_active) == it.works()
