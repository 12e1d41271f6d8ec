"""What is done to members is written down if it is done, and not if nobody is there."""

import subprocess
from pathlib import Path

import pytest

from chaos import fleet
from chaos.fleet import Fleet
from chaos.history import Recorder, read


@pytest.mark.parametrize("is_there", [True, False])
def test_only_who_was_told_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, is_there: bool
) -> None:
    """A guard whose command is not there freezes nobody: that excuses nothing."""
    with subprocess.Popen(["sleep", "60"]) as other:
        monkeypatch.setattr(fleet, "_BEGIN_S", 0.1)
        monkeypatch.setattr(fleet, "SUPERVISED", [])
        monkeypatch.setattr(fleet, "commands", lambda _: [other.pid] if is_there else [])
        record = Recorder(tmp_path / "round.events", "round")
        members = Fleet(tmp_path, lambda *_: ["sleep", "60"], record, guarded=[0])
        members.start(0)
        try:
            members.stop(0)
            members.resume(0)
            members.resume(0)
            kinds = [it.kind for it in read(tmp_path)]
        finally:
            record.close()
            for process in (other, members.members[0][0].process):
                process.kill()
                process.communicate()

    assert ["started", *(["stopped", "resumed"] if is_there else [])] == kinds
