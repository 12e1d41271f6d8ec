"""Damage: what is missing or broken in the files of a checkpoint, before Spark meets it.

Nothing of a checkpoint is forced to the disk, so a power cut can leave files that are empty; disks
fail, and people copy half of a folder. Spark then ends with a long stack trace that names no
remedy. Here the same files are looked at as Spark reads them at a start: the newest plan, the
newest commit, where the sources began, and all that the state of the next batch is built from; and
our own file beside them.

Called by ``checkpoint`` before each try of the query, and by `trimtab recover`; it needs no Spark,
and looks at files of this machine only. Its one rule: it reads, and changes nothing.
"""

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from streaming.startup.batch_logs import (
    COMMITS,
    NEW_TERMS,
    OFFSETS,
    SOURCES,
    TERMS,
    frozen_options,
)
from streaming.wire.places import TASKS

_STATE: Final = "state/0"
"""Of the only operator that keeps something."""
_ROCKSDB: Final = "RocksDB"
_PROVIDER: Final = "spark.sql.streaming.stateStore.providerClass"
_SAYS_NOTHING: Final = "says nothing that can be read"
_CHECKSUM: Final = struct.Struct(">4sI")
_MAGIC: Final = b"crc\0"
"""What Hadoop writes beside each file: this, how many bytes each sum is of, and the sums."""


def local(place: str) -> Path | None:
    """Return a place for checkpoints as a folder of this machine, if it is one."""
    name = place.removeprefix("file:")
    return None if "://" in name else Path(name)


def last(checkpoint: Path, folder: str) -> int | None:
    """Return the newest batch that a folder has a file of."""
    numbers = _numbers(checkpoint / folder)
    return max(numbers, default=None)


def damages(checkpoint: Path) -> Iterator[str]:
    """Say what is wrong with a checkpoint in which a batch was planned; a line for each."""
    planned, done = last(checkpoint, OFFSETS), last(checkpoint, COMMITS)
    if planned is None:
        if done is not None:
            yield f"{OFFSETS} has no file, though batch {done} was committed"
        return
    yield from damaged_terms(checkpoint)
    broken = [*_broken_logs(checkpoint, planned, done)]
    yield from broken
    if done is not None and not planned - 1 <= done <= planned:
        yield f"the last committed batch, {done}, does not fit the last started, {planned}"
    if done is not None and not broken:
        yield from _broken_state(checkpoint, done)


def damaged_terms(checkpoint: Path) -> Iterator[str]:
    """Say why it does not tell what it was begun with.

    One that has no such file may be another program's: it is refused, and not set aside.
    """
    for name in (TERMS, NEW_TERMS):
        if (checkpoint / name).exists():
            reason = _broken(checkpoint / name) or _no_json(checkpoint / name)
            yield from () if reason is None else (f"{name} {reason}",)
            return


def _broken_logs(checkpoint: Path, planned: int, done: int | None) -> Iterator[str]:
    """Look at what Spark reads of its logs."""
    names = ["metadata", f"{OFFSETS}/{planned}"]
    names += [f"{SOURCES}/{it}/0" for it in sorted(_numbers(checkpoint / SOURCES))]
    if done is not None:
        names += [f"{OFFSETS}/{done}", f"{COMMITS}/{done}"]
    for name in dict.fromkeys(names):
        if (reason := _broken(checkpoint / name)) or (reason := _unreadable(checkpoint / name)):
            yield f"{name} {reason}"


def _broken_state(checkpoint: Path, done: int) -> Iterator[str]:
    """Look at what the state after the last committed batch is built from."""
    conf = frozen_options((checkpoint / OFFSETS / str(done)).read_text())
    if _ROCKSDB in conf.get(_PROVIDER, ""):
        return  # another layout; Spark checks its sums by itself
    for number in range(int(conf.get(TASKS, "1"))):
        folder = checkpoint / _STATE / str(number)
        for name in _needed(folder, done + 1):
            if reason := _broken(folder / name):
                yield f"{_STATE}/{number}/{name} {reason}"


def _needed(folder: Path, version: int) -> Iterator[str]:
    """Name the files of one version of the state: the newest snapshot, and all changes since."""
    snapshots = [int(it.stem) for it in folder.glob("*.snapshot") if it.stem.isdecimal()]
    begin = max((it for it in snapshots if it <= version), default=0)
    if begin:
        yield f"{begin}.snapshot"
    yield from (f"{it}.delta" for it in range(begin + 1, version + 1))


def _broken(file: Path) -> str | None:
    """Say why a file cannot be read as it was written."""
    try:
        held = file.read_bytes()
    except FileNotFoundError:
        return "is missing"
    if not held:
        return "is empty, as after a power cut"
    sums = file.with_name(f".{file.name}.crc")
    if sums.exists() and not _fits(held, sums.read_bytes()):
        return "is not what was written there (its checksum differs)"
    return None


def _unreadable(file: Path) -> str | None:
    """Say why a file that is as it was written does not say what it should."""
    lines = file.read_text(errors="replace").replace("\0", "").splitlines()
    try:
        found = [json.loads(line) for line in lines if line.startswith("{")]
    except ValueError:
        found = []
    return None if found else _SAYS_NOTHING


def _no_json(file: Path) -> str | None:
    """The same of a file of ours, which is one object."""
    try:
        json.loads(file.read_bytes())
    except ValueError:
        return _SAYS_NOTHING
    return None


def _fits(held: bytes, sums: bytes) -> bool:
    if len(sums) < _CHECKSUM.size or (len(sums) - _CHECKSUM.size) % 4:  # it was cut off
        return False
    magic, each = _CHECKSUM.unpack_from(sums)
    if magic != _MAGIC or each == 0:
        return False
    told = struct.unpack(f">{(len(sums) - _CHECKSUM.size) // 4}I", sums[_CHECKSUM.size :])
    found = tuple(zlib.crc32(held[at : at + each]) for at in range(0, len(held), each))
    return told == found


def _numbers(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    return [int(it.name) for it in folder.iterdir() if it.name.isdecimal()]
