"""The parcel: our own code, as a cluster's workers are sent it.

They have Spark, Python and the libraries that we stand on (docs/cluster.md), and nothing of ours.
Spark puts the archive before everything else on their path. What is loaded here is what is sent, so
that driver and workers never differ.

Called by ``session``.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile

_PACKAGES: Final = ("allocators", "rebalance", "sinks", "streaming", "trimtab")
"""What ``CellOperator`` needs to run."""
_CODE: Final = "*.py"


def archived(directory: Path) -> Path:
    """Write the archive into a directory."""
    path = directory / "trimtab.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for package in _PACKAGES:
            spec = find_spec(package)
            assert spec is not None, "a part of ourselves"
            for folder in map(Path, spec.submodule_search_locations or ()):
                for file in sorted(folder.rglob(_CODE)):
                    archive.write(file, file.relative_to(folder.parent))
    return path
