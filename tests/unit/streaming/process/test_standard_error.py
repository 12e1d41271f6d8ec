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
    with standard_error_to(path) as begun:
        assert "ouch" == path.read_text()
    assert len("ouch") == begun


def test_a_large_file_is_begun_anew_and_its_end_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the same file: who waits has it open, and locks nothing else."""
    monkeypatch.setattr(standard_error, "_LARGE", 10)
    path = tmp_path / "spark.out"
    path.write_text("0123456789")
    before = path.stat().st_ino
    with standard_error_to(path) as begun:
        assert (10, ["spark.out"]) == (begun, [it.name for it in tmp_path.iterdir()])

    path.write_text("an old line; 0123456789")
    with standard_error_to(path) as begun:
        subprocess.run([sys.executable, "-c", "import os; os.write(2, b'new')"], check=True)

    assert (0, "new", before) == (begun, path.read_text(), path.stat().st_ino)
    assert "0123456789" == (tmp_path / "spark.out.1").read_text()
