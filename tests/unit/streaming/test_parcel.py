"""What a cluster's workers are sent is all that a cell needs."""

import subprocess
import sys
from pathlib import Path

import pytest

from streaming.parcel import archived

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import streaming.cell_operator, streaming.pipeline
print({sys.modules[it].__file__.startswith(sys.argv[1]) for it in (
    "streaming.cell_operator", "rebalance.groups.step", "allocators.registry", "sinks", "trimtab",
)})
"""


@pytest.mark.slow
def test_a_cell_runs_from_the_archive_alone(tmp_path: Path) -> None:
    """Every module of ours comes out of it."""
    archive = archived(tmp_path)
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM, archive],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ("{True}\n", "") == (told.stdout, told.stderr)
