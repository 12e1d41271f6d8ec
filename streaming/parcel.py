"""The parcel: our own code, as a cluster's workers are sent it, and a digest of what decides.

They have Spark, Python and the libraries that we stand on (docs/cluster.md), and nothing of ours.
Spark puts the archive before everything else on their path. What is loaded here is what is sent, so
that driver and workers never differ.

Called by ``session``, and by ``terms``, which tells with the digest whether it is other code that
would repeat a batch: a version and a name stay the same when what is behind them is edited.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.machinery import all_suffixes
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

_PACKAGES: Final = ("allocators", "rebalance", "sinks", "streaming", "trimtab")
"""What ``CellOperator`` needs to run."""
_CODE: Final = tuple(all_suffixes())
_COMPILED: Final = "__pycache__"


def archived(directory: Path) -> Path:
    """Write the archive into a directory."""
    path = directory / "trimtab.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for package in _PACKAGES:
            for name, file in _code(package):
                archive.write(file, name)
    return path


@cache  # what is loaded stays what it is, whatever becomes of the files
def digest_of_code(strategy: str) -> str:
    """Return a digest of our own code, and of a strategy's if it is the user's own.

    That is its outermost package, whole. Empty: the code is in no files that can be read.
    """
    module, colon, _ = strategy.partition(":")
    try:
        code = [
            [(name, sha256(file.read_bytes()).hexdigest()) for name, file in _code(package)]
            for package in (*_PACKAGES, *([module.partition(".")[0]] if colon else []))
        ]
    except (OSError, ValueError):  # it is in an archive, or was not found as modules are
        return ""
    return sha256(repr(code).encode()).hexdigest() if all(code) else ""


def _code(name: str) -> Iterator[tuple[str, Path]]:
    """Return a package's files, or a module's, by their names below the path."""
    spec = find_spec(name)
    if spec is None:
        return
    if spec.submodule_search_locations is None:
        if spec.origin is not None:
            yield name, Path(spec.origin)
        return
    for folder in map(Path, spec.submodule_search_locations):
        for file in sorted(folder.rglob("*")):
            if file.name.endswith(_CODE) and file.parent.name != _COMPILED:
                yield file.relative_to(folder.parent).as_posix(), file
