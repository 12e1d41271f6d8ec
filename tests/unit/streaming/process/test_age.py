"""A start is timed from the beginning of its process."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from streaming.process import age

CODE = "import time; time.sleep(0.3); from streaming.process.age import age_s; print(age_s())"


def test_what_came_before_the_import_counts() -> None:
    """So Python's own start does."""
    begun = time.monotonic()
    told = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)

    assert 0.25 < float(told.stdout) < time.monotonic() - begun + 0.1  # ticks are 10 ms


def test_elsewhere_it_counts_from_the_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no /proc."""
    monkeypatch.setattr(age, "_STAT", Path(os.devnull) / "none")

    assert 0 <= age.age_s() < time.monotonic()
