"""Lives that were recorded are judged as they should be."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from tests.simulation import recorded
from tests.simulation.lives import behind
from tests.simulation.recorded import Life, decided, difference, lived, main

SEED = 41


def test_the_same_code_decides_the_same() -> None:
    """A life that was just recorded is decided again to the byte."""
    assert difference(lived(SEED)) is None


def test_a_batch_that_is_written_differently_is_found() -> None:
    """Its number is said; so is one that is missing."""
    life = lived(SEED)
    changed = [*life.digests]
    changed[3] = "another"

    assert f"life {SEED}: batch 3 is written differently" == difference(
        life._replace(digests=changed)
    )
    assert difference(life._replace(digests=life.digests[:-1])) is not None


def test_a_batch_without_records_has_a_digest_too() -> None:
    """A digest for each batch, and not all of them alike."""
    life = lived(SEED)

    assert len(set(life.digests)) > 1
    assert life.digests == list(decided(life))


def test_the_simulation_may_change_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another life is drawn from the seed then; the recorded one was read by its own policy."""
    life = Life(*json.loads(json.dumps(lived(SEED))))
    for drawn in ("scenario", "_drawn"):
        monkeypatch.setattr(recorded, drawn, lambda _: behind(SEED + 1))

    assert difference(life) is None


def test_a_recording_of_no_lives_is_no_comparison(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would say of any change that nothing differs."""
    assert 3 == _compared(tmp_path / "lives", [json.dumps(Life._fields)], monkeypatch)


@pytest.mark.parametrize("lines", [[], [json.dumps([SEED, [], []])]])
def test_a_recording_of_another_form_is_refused(
    lines: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It stays in the checkout, and is meant to be older than a change."""
    assert 3 == _compared(tmp_path / "lives", lines, monkeypatch)
    assert "record anew" in capsys.readouterr().out


def test_what_is_recorded_can_be_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It begins with its form."""
    file = tmp_path / "lives"
    monkeypatch.setattr(sys, "argv", ["lives", "record", "--seeds", "1", "--file", str(file)])

    assert 0 == main()
    monkeypatch.setattr(sys, "argv", ["lives", "compare", "--file", str(file)])
    assert 0 == main()


def _compared(file: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Compare with a recording of these lines."""
    file.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    monkeypatch.setattr(sys, "argv", ["lives", "compare", "--file", str(file)])
    return main()
