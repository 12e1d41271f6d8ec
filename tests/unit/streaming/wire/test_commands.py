"""What an operator's command becomes, and what is refused before any group hears of it."""

import pytest

from rebalance.groups.model import commands
from streaming.wire.commands import command_of
from trimtab.protocol import ChooseStrategy, UndecodableRecord


def strategy(name: str | None) -> ChooseStrategy:
    """Ann wants a strategy."""
    return ChooseStrategy(id="1", principal="ann", reason="because", strategy=name)


def test_a_strategy_by_name_or_none() -> None:
    """None is the controller's own."""
    assert commands.ChooseStrategy("AVG") == command_of(strategy("AVG"))
    assert commands.ChooseStrategy(None) == command_of(strategy(None))


@pytest.mark.parametrize("name", ["NOSUCH", "sys:exit", "os:getcwd", "tests.nowhere:strategy"])
def test_no_order_loads_code(name: str) -> None:
    """A record that names a module is refused like one that names nothing: it is never imported."""
    with pytest.raises(UndecodableRecord, match="no strategy is called"):
        command_of(strategy(name))


def test_a_strategy_that_needs_options_cannot_be_commanded() -> None:
    """Options are in the settings, and a command has none."""
    with pytest.raises(UndecodableRecord, match="CANARY needs the options"):
        command_of(strategy("CANARY"))
