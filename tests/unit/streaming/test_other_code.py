"""Other code under the same name and version is told apart: it may decide otherwise."""

import py_compile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from zipfile import ZipFile

import pytest

from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy
from streaming.cell.codec import VERSION
from streaming.parcel import digest_of_code
from streaming.startup.terms import Terms, continued, deciding


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    digest_of_code.cache_clear()


def starts(strategy: str) -> str:
    """What a process that starts now takes for what decides."""
    digest_of_code.cache_clear()  # one that runs keeps to what it has loaded
    rules = {"policy": Policy(strategy=strategy), "verdicts": VerdictPolicy()}
    return deciding(cast("Any", SimpleNamespace(**rules)))


def test_another_body_behind_the_same_name_decides_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a module alone, or of anything in its package; if it is compiled is all one."""
    alone, package = tmp_path / "own_pick.py", tmp_path / "own_picks"
    (package / "inner").mkdir(parents=True)
    needed = package / "inner" / "needed.py"
    for file in (alone, package / "__init__.py", package / "pick.py", needed):
        file.write_text("pick = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    names = ("own_pick:pick", "own_picks.pick:pick", "STICKY")

    first = [starts(it) for it in names]
    for file in tmp_path.rglob("*.py"):
        py_compile.compile(str(file), doraise=True)
    assert first == [starts(it) for it in names]
    for file in (alone, needed):
        file.write_text("pick = 2\n")
    second = [starts(it) for it in names]
    assert first[2] == second[2]
    assert 5 == len({*first, *second} - {""})


def test_of_code_that_is_in_no_files_nobody_knows_whether_it_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So what is not finished waits at each start. Nor does a start fail for it."""
    with ZipFile(tmp_path / "own.zip", "w") as archive:
        for name in ("packed_pick.py", "packed_picks/__init__.py"):
            archive.writestr(name, "pick = 1\n")
    monkeypatch.syspath_prepend(tmp_path / "own.zip")

    for module in ("packed_pick", "packed_picks", "no_such_pick", "__main__", "sys", ""):
        assert "" == starts(f"{module}:pick")
    terms = Terms(VERSION, "c", "t.", 8, 1, [], {})
    assert 7 == continued(terms, "", 7, {}).others
    assert continued(terms, "", None, {}).others is None
