"""Each mode of a member has a number."""

from dataclasses import replace

import pytest

from rebalance.groups.model.events import Mode
from rebalance.groups.model.member import Member, Pulse
from rebalance.groups.model.membership import Membership
from rebalance.ids import MemberId
from streaming.cell.stored.beats import beats_form
from streaming.cell.stored.members import members, members_form
from tests.builders.filled import filled


@pytest.mark.parametrize("mode", Mode)
def test_every_mode_has_a_number(mode: Mode) -> None:
    """One that is new needs one; none is given twice."""
    name = MemberId("a")
    there = Membership({name: replace(filled(Member), mode=mode)}, {name: filled(Pulse)})

    assert there == members(members_form(there), [name], beats_form(there.pulses, (), [name]))
