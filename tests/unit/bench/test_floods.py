"""Twice as many events cost twice as much, whatever floods a batch: counted, not timed."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from bench.brain.floods import FLOODS, flooded
from rebalance.groups.model.events import Event
from rebalance.groups.model.overlay import Overlay

FEW, MANY = 100, 400
SLACK = 1.25
"""Sorting is no linear thing, and the strategy sorts."""


@contextmanager
def counting() -> Iterator[list[int]]:
    """Count the instructions that are carried out in the controller's own folders."""
    count = [0]

    def watch(frame: FrameType, event: str, arg: object) -> Any:  # noqa: ANN401 - as settrace has it
        del arg
        if event == "call" and "/rebalance/" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        count[0] += event == "opcode"
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        yield count
    finally:
        sys.settrace(before)


def instructions(events: Sequence[Event]) -> int:
    """How many a flood takes; at the second time, when what can be remembered is."""
    flooded(events)
    with counting() as count:
        flooded(events)
    return count[0]


@pytest.mark.slow
@pytest.mark.parametrize("flood", FLOODS)
def test_instructions_grow_with_the_batch(flood: str) -> None:
    """No loop inside the loop over events."""
    few, many = (instructions(FLOODS[flood](count)) for count in (FEW, MANY))

    assert few > FEW
    assert many < MANY / FEW * SLACK * few


@pytest.mark.parametrize("flood", FLOODS)
def test_copies_do_not_grow_with_the_batch(flood: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All members, or all topics, are looked at a few times in a step, and not for each event."""
    copied: list[object] = []
    merged = Overlay.merged

    def counted(self: Overlay[Any, Any]) -> object:
        if self._written and self._copy is None:
            copied.append(self)
        return merged(self)

    monkeypatch.setattr(Overlay, "merged", counted)
    flooded(FLOODS[flood](FEW))
    few = len(copied)
    flooded(FLOODS[flood](MANY))

    assert 0 < few == len(copied) - few
