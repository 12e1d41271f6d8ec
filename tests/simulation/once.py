"""Results that several tests look at are worked out once in a run, whichever worker comes first.

Workers share the folder of the run, and take a result that is there. Two that begin at the same
time both compute it, and get the same.
"""

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

Lived = tuple[list[str], Counter[str]]
"""What was wrong, told, and which faults hit."""


def once(kept: Path, work_out: Callable[[], Lived]) -> Lived:
    """Return what is kept, or work it out and keep it."""
    if not kept.exists():
        unfinished = kept.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(work_out()))
        unfinished.replace(kept)
    wrong, hits = json.loads(kept.read_text())
    return wrong, Counter(hits)
