"""A standby's rehearsal: what is left of one that failed, and whether it works."""

from datetime import UTC, datetime, timedelta
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


@pytest.mark.parametrize(
    ("rows", "is_active", "minutes", "works"),
    [
        pytest.param(7, True, 0, True, id="it reads"),
        pytest.param(0, True, 0, False, id="it has read nothing"),
        pytest.param(7, False, 0, False, id="it has ended"),
        pytest.param(7, True, 2, False, id="it hangs"),
    ],
)
def test_it_works_when_a_query_that_runs_has_just_read(
    tmp_path: Path,
    rows: int,
    is_active: bool,  # noqa: FBT001 - a column
    minutes: int,
    works: bool,  # noqa: FBT001 - a column
) -> None:
    """By this a standby knows that it would do better than one that fails."""
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    here = options(settings, bootstrap_servers="k:1", jars=tmp_path)
    it = Rehearsal(MagicMock(), here, MagicMock())
    begun = datetime.now(UTC) - timedelta(minutes=minutes)
    at = begun.isoformat(timespec="milliseconds").replace("+00:00", "Z")  # as Spark writes it
    progress = MagicMock(numInputRows=rows, timestamp=at)
    it._query = MagicMock(isActive=is_active, recentProgress=[progress])  # noqa: SLF001 - Spark's
    assert works == it.works()


def test_where_nothing_is_rehearsed_nobody_is_relieved(tmp_path: Path) -> None:
    """Both use one cluster: what fails there would fail again, and they would take turns."""
    chosen = [f"home={tmp_path}", "spark.master=spark://m:7077", "spark.driver_host=127.0.0.1"]
    chosen.append("controller.checkpoint=/shared")
    settings = load(key_values=chosen, environment={}).settings
    there = options(settings, bootstrap_servers="k:1", jars=tmp_path)
    it = Rehearsal(MagicMock(), there, MagicMock())
    it.is_done()
    assert not it.works()
