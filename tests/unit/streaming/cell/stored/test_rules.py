"""Each choice of a group's own settings has a number."""

import pytest

from rebalance.groups.model.overrides import NONE, Overrides
from rebalance.groups.model.policy import Compat, TwinRule
from rebalance.groups.model.rules import Rules
from streaming.cell.stored.rules import rules, rules_form

CHOICES = [
    *(Overrides(compat=it) for it in Compat),
    *(Overrides(on_twin=it) for it in TwinRule),
    *(Overrides(on_twin_instance=it) for it in TwinRule),
]


@pytest.mark.parametrize("own", CHOICES)
def test_every_choice_has_a_number(own: Overrides) -> None:
    """One that is new needs one; none is given twice."""
    assert Rules(overrides=own) == rules(rules_form(Rules(overrides=own)))


def test_settings_that_are_none_take_no_room() -> None:
    """As in most groups."""
    assert rules_form(Rules(overrides=NONE)).overrides is None
