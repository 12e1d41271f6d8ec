"""A group is rebuilt as it is, also where little says how it came to be so."""

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from allocators import allocator
from rebalance.groups.model.commands import ChooseStrategy, DrainMember
from rebalance.ids import MemberId
from tests.unit.console.planning.published_group import (
    NAME,
    Ask,
    Message,
    PublishedGroup,
    by_default,
    moved,
    route,
    told,
)

HOME = {"orders": [["", queue, "r1"] for queue in range(4)]}
"""All queues are read from rack r1."""


@pytest.fixture
def group() -> PublishedGroup:
    """One member is where the controller's options say that all queues are, and two are not."""
    options = json.dumps({"queue_racks": HOME})
    group = PublishedGroup(policy=replace(by_default(), strategy_options=options))
    group.joins("a", rack="r1")
    group.joins("b", "c", rack="r2")
    group.hears(route("orders", 4))
    return group


def test_a_strategy_of_its_own_is_without_the_controllers_options(
    group: PublishedGroup, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if it has the same name."""
    monkeypatch.setenv("TRIMTAB_POLICY__STRATEGY_OPTIONS", json.dumps({"queue_racks": HOME}))
    assert {"a"} == set(group.owners().values())
    answers = group.obeys(ChooseStrategy("STICKY"))
    group.story.allocator = allocator("STICKY")
    group.waits(1)
    code, plan = ask("plan", NAME, "--drain", "b")
    before = group.owners()
    group.obeys(DrainMember(MemberId("b")))

    assert [("done", "without the controller's options")] == answers
    assert (0, []) == (code, plan["notes"])
    assert moved(before, group.owners()) == told(plan)
    assert 1 == plan["moves"]


def loaded() -> None:
    """Stand in for any code that a name can reach."""
    pytest.fail("a record has loaded code")


@pytest.mark.parametrize("said", [{"strategy": "{}"}, {"strategy": "AVG", "own_strategy": "{}"}])
def test_no_record_loads_code(group: PublishedGroup, ask: Ask, said: Mapping[str, str]) -> None:
    """A user's own strategy is one that the settings name, where its options are, too."""
    group.waits(1)
    name = f"{__name__}:loaded"
    summaries = group.topics["trimtab.groups"]
    forged = {field: it.format(name) for field, it in said.items()}
    whole = json.loads(summaries[-1].written or b"") | forged
    summaries.append(Message(NAME.encode(), json.dumps(whole).encode()))
    code, plan = ask("plan", NAME, "--drain", "b")

    assert 2 == code
    assert (
        f"billing: its strategy is {name}, and not that of your settings: give its --config"
        in plan["error"]
    )
