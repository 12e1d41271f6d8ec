"""What is missing or broken in a checkpoint is named, and what is whole is not."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from streaming.startup.damage import damages, local
from tests.unit.streaming.startup.test_batch_logs import BATCH

SUMMED = 512
"""Bytes, as Hadoop does it."""


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """One whose batch 11 is committed, and 12 begun; its state is a snapshot and changes."""
    logs = {
        "trimtab.json": '{\n  "state": 2\n}',
        "metadata": '{"id":"x"}',
        "sources/0/0": '\0v1\n{"t.members":{"0":0}}',
    }
    logs |= {f"offsets/{it}": BATCH for it in (11, 12)}
    logs |= {f"commits/{it}": 'v1\n{"nextBatchWatermarkMs":0}' for it in (10, 11)}
    state = [f"state/0/{part}/{it}" for part in (0, 1) for it in ("10.snapshot", "11.delta")]
    state += [f"state/0/{part}/12.delta" for part in (0, 1)]
    for name, text in (logs | dict.fromkeys(state, "." * 2000)).items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        held = text.encode()
        sums = [zlib.crc32(held[at : at + SUMMED]) for at in range(0, len(held), SUMMED)]
        sidecar = struct.pack(f">4sI{len(sums)}I", b"crc\0", SUMMED, *sums)
        file.with_name(f".{file.name}.crc").write_bytes(sidecar)
    return tmp_path


def renamed(checkpoint: Path, held: bytes) -> None:
    """Put its terms back under the name that they are written under."""
    (checkpoint / "trimtab.json").unlink()
    (checkpoint / ".trimtab.json.new").write_bytes(held)


def test_what_is_whole_is_not_reported(checkpoint: Path) -> None:
    """Nor is a batch that was begun and not done, nor what came before the snapshot."""
    assert [] == list(damages(checkpoint))


def test_where_no_batch_was_planned_there_is_nothing(tmp_path: Path) -> None:
    """A new checkpoint is begun there."""
    assert [] == list(damages(tmp_path))


@pytest.mark.parametrize(
    ("hurt", "said"),
    [
        (lambda it: (it / "offsets/12").write_text(""), "offsets/12 is empty, as after a power"),
        (lambda it: (it / "offsets/11").unlink(), "offsets/11 is missing"),
        (lambda it: (it / "metadata").unlink(), "metadata is missing"),
        (lambda it: (it / "trimtab.json").write_text(""), "trimtab.json is empty, as after a powe"),
        (lambda it: (it / "trimtab.json").write_bytes(bytes(14)), "trimtab.json is not what was w"),
        (lambda it: renamed(it, b""), ".trimtab.json.new is empty, as after a power cut"),
        (lambda it: (it / "sources/0/0").write_text(""), "sources/0/0 is empty"),
        (
            lambda it: (it / "commits/11").write_text('v1\n{"nextBatchWatermarkMs":1}'),
            "commits/11 is not what was written there (its",
        ),
        (
            lambda it: (it / "commits/.11.crc").write_bytes(b"crc\0\0\0\2\0x"),
            "commits/11 is not what was written there (its checksum differs)",
        ),
        (lambda it: (it / "state/0/1/12.delta").unlink(), "state/0/1/12.delta is missing"),
        (lambda it: (it / "state/0/0/10.snapshot").write_bytes(b"x"), "state/0/0/10.snapshot is n"),
        (
            lambda it: (it / "commits/14").write_text("v1\n{}"),
            "the last committed batch, 14, does n",
        ),
    ],
)
def test_damage_is_named(checkpoint: Path, hurt: Callable[[Path], object], said: str) -> None:
    """By the file, and by what is the matter with it."""
    hurt(checkpoint)

    assert [True] == [it.startswith(said) for it in damages(checkpoint)][-1:]


@pytest.mark.parametrize("name", ["offsets/12", "trimtab.json"])
def test_a_file_of_zeros_says_nothing(checkpoint: Path, name: str) -> None:
    """A file system may leave that after a power cut; its checksum may be gone as well."""
    file = checkpoint / name
    file.write_bytes(bytes(900))
    file.with_name(f".{file.name}.crc").unlink()

    assert [f"{name} says nothing that can be read"] == list(damages(checkpoint))


def test_what_a_killed_start_has_left_is_whole(checkpoint: Path) -> None:
    """It may have written its terms, and not have given them their name yet."""
    renamed(checkpoint, b"{}")

    assert [] == list(damages(checkpoint))


def test_one_without_terms_may_be_another_programs(checkpoint: Path) -> None:
    """It is refused, and not set aside."""
    (checkpoint / "trimtab.json").unlink()

    assert [] == list(damages(checkpoint))


def test_all_plans_gone_is_damage(checkpoint: Path) -> None:
    """Spark would begin anew beside the old state."""
    for it in ("11", "12"):
        (checkpoint / "offsets" / it).unlink()

    assert ["offsets has no file, though batch 11 was committed"] == list(damages(checkpoint))


def test_only_places_of_this_machine_are_looked_at() -> None:
    """Others are Hadoop's."""
    assert local("s3a://bucket/checkpoint") is None
    for place in ("/var/lib/x", "file:/var/lib/x", "file:///var/lib/x"):
        found = local(place)
        assert found is not None
        assert Path("/var/lib/x") == found.resolve()
