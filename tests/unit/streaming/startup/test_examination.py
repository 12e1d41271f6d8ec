"""What a start tries of a checkpoint's place, before another controller hears of it."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from console.settings import load
from console.wiring import options
from streaming.startup import examination
from streaming.startup.checkpoint import CheckpointUnusable


class Fixed:
    """One that can be written, and in whose parent nobody may make another name."""

    in_use = False

    def __init__(self, _spark: object, place: str) -> None:
        self._place = place

    def present(self) -> str:
        """It is where it was set."""
        return self._place

    def try_out(self) -> None:
        """It can be written."""

    def try_to_move(self, start: str) -> None:
        """It cannot be moved."""
        raise CheckpointUnusable(start)


def test_one_that_could_never_be_set_aside_is_refused_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also without a standby: else that is noticed months later, when its files are damaged."""
    settings = load(key_values=[f"home={tmp_path}"], environment={}).settings
    chosen = options(settings, bootstrap_servers="127.0.0.1:1", jars=tmp_path)
    monkeypatch.setattr(examination, "Checkpoint", Fixed)
    spark: Any = None
    with pytest.raises(CheckpointUnusable):
        examination.examined(spark, chosen, Event())
