"""A checkpoint that is in use, as far as a start sees it, and what became of it."""

from threading import Event
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rebalance.brokers.policy import VerdictPolicy
from rebalance.groups.model.policy import Policy
from streaming.options import TopicOptions
from streaming.start import Beginning
from streaming.startup.checkpoint import CheckpointUnusable
from streaming.startup.terms import Terms, present_terms


class OldCheckpoint:
    """A checkpoint that is in use, and what became of it."""

    def __init__(self) -> None:
        self.in_use = True
        self.done: list[str] = []
        self.hurt: list[str] = []
        self.elsewhere: str | None = None
        self.is_there = True
        self.unfinished: int | None = None
        self.kept: Terms | None = None

    def damage(self) -> list[str]:
        """What is wrong with its files."""
        return self.hurt

    def moved_to(self) -> str | None:
        """Where a standby has put it."""
        if not self.is_there:
            raise CheckpointUnusable("the mount is lost")
        return self.elsewhere

    def try_out(self) -> None:
        """It can be written."""

    def terms(self) -> Terms | None:
        """With what it was begun, if anybody knows."""
        return self.kept

    def has_damaged_terms(self) -> bool:
        """They can be read, if they are there."""
        return False

    def options(self) -> dict[str, str]:
        """Spark has frozen none."""
        return {}

    def positions(self) -> dict[tuple[str, int], int]:
        """It has read a little of one topic, as far as its files can be read."""
        assert not self.hurt
        return {("t.releases", 3): 5}

    def set_aside(self, label: str) -> str:
        """Note it."""
        self.done.append("set aside")
        self.in_use = False
        return label

    def delete_old(self, start: str) -> list[str]:
        """It cannot be done, and that ends nothing."""
        raise CheckpointUnusable(start)

    def begin(self, terms: Terms | None) -> None:
        """Note it."""
        self.kept = terms
        self.done.append("begun")


def on_a_checkpoint(
    monkeypatch: pytest.MonkeyPatch, starts: tuple[int, ...] = ()
) -> tuple[Beginning, OldCheckpoint]:
    """The beginning of a query that goes on from one."""
    old = OldCheckpoint()
    monkeypatch.setattr("streaming.start.Checkpoint", lambda *_: old)
    topics, query = (
        TopicOptions(prefix="t.", partitions=8),
        SimpleNamespace(checkpoint="/c", new_checkpoint=False, cells_per_partition=1),
    )
    rules = {"policy": Policy(), "verdicts": VerdictPolicy()}
    options = cast("Any", SimpleNamespace(topics=topics, query=query, **rules))
    old.kept = present_terms(options, "c", {})
    operator = cast("Any", SimpleNamespace(starts=starts))
    horizon = cast("Any", SimpleNamespace(fails=False))
    return Beginning(cast("Any", None), options, operator, horizon, Event()), old


def kept_of(old: OldCheckpoint) -> Terms:
    """With what it was begun."""
    assert old.kept is not None
    return old.kept
