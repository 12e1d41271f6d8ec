"""The file that is a lock."""

import subprocess
import sys
from pathlib import Path

import pytest

from streaming.process import standard_error
from streaming.process.standard_error import StandardErrorInUse, standard_error_to

COMPLAIN_AND_WAIT = "import sys; sys.stderr.write('ouch'); sys.stderr.flush(); sys.stdin.read()"


def test_a_child_keeps_the_file_and_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a process lives that was started on the file, nobody else gets it; then anybody."""
    monkeypatch.setattr(standard_error, "_PATIENCE_S", 0)
    path = tmp_path / "spark.out"
    with standard_error_to(path):
        child = subprocess.Popen([sys.executable, "-c", COMPLAIN_AND_WAIT], stdin=subprocess.PIPE)

    with pytest.raises(StandardErrorInUse), standard_error_to(path):
        pytest.fail("two processes would write to one file")
    child.communicate()
    with standard_error_to(path):
        assert "ouch" == path.read_text()
