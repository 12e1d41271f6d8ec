"""The same records give the same bytes in every process, whatever order its sets have.

A batch is repeated by another process, and so is a recording: texts have other hashes there.
"""

import os
import subprocess
import sys

SEEDS = (11, 23, 40)
ASK = f"""
from tests.simulation.recorded import lived
for seed in {SEEDS}:
    print(*lived(seed).digests)
"""


def test_lives_are_decided_alike_whatever_order_sets_have() -> None:
    """Some orders of a set of three agree by chance; those of whole lives do not."""
    told = [
        subprocess.run(
            [sys.executable, "-c", ASK],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    ]

    assert len(SEEDS) == len(told[0].splitlines())
    assert told[0] == told[1]
