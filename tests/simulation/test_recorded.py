"""Lives that were recorded are judged as they should be."""

from tests.simulation.recorded import decided, difference, lived

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
    assert life.digests == list(decided(SEED, life.lines))
