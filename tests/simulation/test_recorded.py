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
    file = tmp_path / "lives"
    file.write_bytes(gzip.compress(b""))
    monkeypatch.setattr(sys, "argv", ["lives", "compare", "--file", str(file)])

    assert 3 == main()
