"""Two groups of one cell, of which one can be made to fail."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rebalance.allocation import Allocator
from rebalance.errors import BrokenInvariant
from rebalance.groups.conclusion import Step
from rebalance.groups.model.events import Moment
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import GroupName
from rebalance.stamp import Stamp
from sinks import Record
from streaming.cell.codec import Cell
from streaming.cell.fold import Folded, fold
from streaming.cell.packed import unpack
from tests.builders.log import Log, join, route, rules
from trimtab.protocol import (
    DEADLETTERS,
    MEMBERS,
    ROUTES,
    DeadLetter,
    Topic,
    decode,
    partition_of,
)

RULES = rules()
ILL, WELL = (
    "billing",
    next(
        f"other-{it}"
        for it in range(99)
        if partition_of(f"other-{it}", 8) == partition_of("billing", 8)
    ),
)
Step_ = Callable[..., Step]


def of(folded: Folded, topic: Topic[Any], key: str = ILL) -> list[Any]:
    """What was said on a topic of a group."""
    name, start = f"t.{topic.name}", key.encode()
    said = [it for it in folded.records if it.topic == name and it.key.split(b"/")[0] == start]
    return [decode(topic, it.value) for it in said]


def others(folded: Folded) -> list[Record]:
    """Everything that is not about the group that fails."""
    return [it for it in folded.records if not it.key.startswith(ILL.encode())]


def letters(folded: Folded) -> list[DeadLetter]:
    """What was sent back."""
    return [decode(DEADLETTERS, it.value) for it in folded.records if it.topic == "t.deadletters"]


def state_of(cell: Cell, name: str = ILL) -> GroupState:
    """What a cell knows of a group."""
    return unpack(cell.groups.by_name()[GroupName(name)])


def at_work(log: Log) -> Cell:
    """Two groups of one cell, with a member each."""
    for group in (ILL, WELL):
        log.append(MEMBERS, group, join("a"), at=1_000)
        log.append(ROUTES, group, route(), at=1_000)
    log.tick(ILL, at=1_000)
    return fold(Cell(), log.read(), RULES).cell


def failing(
    monkeypatch: pytest.MonkeyPatch, fails: Callable[[Sequence[Moment]], bool]
) -> list[Sequence[Moment]]:
    """Have the step of one group fail on such events; return what it is tried with."""
    tried: list[Sequence[Moment]] = []

    def wrong(
        state: GroupState, moments: Sequence[Moment], now: Stamp, policy: Policy, asked: Allocator
    ) -> Step:
        if state.name == ILL:
            tried.append(moments)
            if fails(moments):
                raise BrokenInvariant("two holders of orders-0")
        return step(state, moments, now, policy, asked)

    monkeypatch.setattr("streaming.cell.fold.step", wrong)
    return tried


def always(_: Sequence[Moment]) -> bool:
    """Fail on everything."""
    return True
