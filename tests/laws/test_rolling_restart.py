"""A rolling restart while the controller is away: real sessions hand their queues on and on."""

from collections import Counter

import pytest

from allocators import allocator
from rebalance.groups.model.policy import Policy
from tests.builders.company import Company
from tests.builders.records import routed
from tests.builders.story import Story

NAMES = [f"m{number:02}" for number in range(16)]
QUEUES = 64


def a_company(names: list[str], queues: int) -> Company:
    """Begin with members that share the queues evenly, and know who comes next."""
    story = Story(policy=Policy(standing_heirs=True), allocator=allocator("STICKY"))
    company = Company(story, names)
    company.works(seconds=2)
    story.reads(routed("orders", queues))
    company.works(seconds=10)
    assert each_has_one_owner(company, queues)
    return company


def each_has_one_owner(company: Company, queues: int) -> bool:
    """Tell whether each queue is worked on by one member."""
    working = company.at_work()
    return len(working) == queues and all(len(those) == 1 for those in working.values())


def restarted(company: Company, name: str, queues: int) -> None:
    """Restart one member, and look at all queues when the releases have been read."""
    company.leaves(name)
    company.works(seconds=1)
    assert "ended" == company.sessions[name].phase
    assert each_has_one_owner(company, queues)
    company.returns(name)
    company.works(seconds=2)  # the others read its mark in the second one
    assert each_has_one_owner(company, queues)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 2])
def test_sixteen_members_restart_one_after_another_without_a_controller(rounds: int) -> None:
    """Each queue goes on at once, time and again; then it moves only what balance asks."""
    company = a_company(NAMES, QUEUES)
    company.away = True
    for name in NAMES * rounds:
        restarted(company, name, QUEUES)
    before = company.at_work()
    tokens = [grant.token for it in company.sessions.values() for grant in it.working]

    company.away = False
    company.works(seconds=20)
    after = company.at_work()
    loads = Counter(name for (name,) in before.values())
    assert each_has_one_owner(company, QUEUES)
    assert {4} == set(Counter(name for (name,) in after.values()).values())
    surplus = sum(max(0, load - 4) for load in loads.values())
    assert surplus == sum(before[queue] != after[queue] for queue in before)
    assert company.story.state.epoch > max(tokens)
