"""SHA256SUMS: what every fetched archive must be, byte for byte.

The file has the format of ``sha256sum``, with paths relative to the cache (``kafka/...``,
``spark/...``), so that the image build can check it with that tool. Maven compares what it
downloads with what the repository says; this compares it with what we reviewed.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from console.errors import Failure


def read_sums(path: Path) -> dict[str, str]:
    """Relative path -> SHA-256 digest, as checked in."""
    lines = (line.split(maxsplit=1) for line in path.read_text().splitlines() if line)
    return {name.strip(): digest for digest, name in lines}


def write_sums(path: Path, sums: Mapping[str, str]) -> None:
    """Write ``sums`` in the order of their paths."""
    path.write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())))


def sums_of(directory: Path) -> dict[str, str]:
    """The digest of every archive below ``directory``."""
    return {
        archive.relative_to(directory).as_posix(): _digest(archive)
        for archive in sorted(directory.glob("*/*.jar"))
    }


def verify(found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Refuse archives that are missing, unexpected or different, naming each.

    Raises:
        Failure: One line per archive.
    """
    problems = [f"{name} is missing" for name in expected if name not in found]
    problems += [f"{name} is not in SHA256SUMS" for name in found if name not in expected]
    problems += [
        f"{name} has SHA-256 {found[name]}, SHA256SUMS says {digest}"
        for name, digest in expected.items()
        if name in found and found[name] != digest
    ]
    if problems:
        raise Failure("\n".join(f"Java archive {problem}" for problem in sorted(problems)))


def _digest(path: Path) -> str:
    with path.open("rb") as archive:
        return hashlib.file_digest(archive, "sha256").hexdigest()
