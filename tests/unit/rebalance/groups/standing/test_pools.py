"""What a choice looks at where no two members are alike."""

from collections import Counter

import pytest

from rebalance.allocation import Applicant, Candidates
from rebalance.groups.standing.dealing import Standing, deal
from rebalance.groups.standing.pools import Kind, Pool
from rebalance.groups.standing.ranks import Ranks
from rebalance.ids import BrokerName, MemberId, Queue, TopicName
from tests.unit.rebalance.groups.standing.groups import member, queue

MANY = 100
EACH = 10
OWNERS = {queue(f"t{it}"): MemberId(f"m{it // EACH:03}") for it in range(MANY * EACH)}


def named(*said: Applicant) -> Candidates:
    """Name members in order."""
    return {MemberId(f"m{number:03}"): one for number, one in enumerate(said)}


UNLIKE = {
    "weights": named(*(member("t", weight=MANY + it) for it in range(MANY))),
    "capacities": named(*(member("t", cap=3 * EACH + it) for it in range(MANY))),
}


def lifts_in(
    monkeypatch: pytest.MonkeyPatch,
    before: Standing,
    people: Candidates,
    owners: dict[Queue, MemberId],
) -> int:
    """Count how often a deal works out how high somebody would stand."""
    times, lift = Counter[str](), Ranks.lift

    def counted(ranks: Ranks, kind: Kind, load: int) -> int:
        times["lifted"] += 1
        return lift(ranks, kind, load)

    with monkeypatch.context() as patched:
        patched.setattr(Ranks, "lift", counted)
        aimed = [it for it in owners if before.owners.get(it) != owners[it]]
        assert len(owners) == len(deal(before, people, owners, aimed).standing)
    return times["lifted"]


@pytest.mark.parametrize("people", UNLIKE.values(), ids=UNLIKE)
def test_it_costs_no_look_at_each_member(
    monkeypatch: pytest.MonkeyPatch, people: Candidates
) -> None:
    """Each has a weight or a capacity of its own: a few looks for each queue, not one by one."""
    assert lifts_in(monkeypatch, Standing(), people, OWNERS) < 60 * len(OWNERS)


def test_nor_does_a_fleet_that_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the members take over half of the queues of all others."""
    half = dict(list(UNLIKE["weights"].items())[: MANY // 2])
    owners = {it: MemberId(f"m{it.id // EACH // 2:03}") for it in OWNERS}
    before = deal(Standing(), half, owners, None).standing

    assert lifts_in(monkeypatch, before, UNLIKE["weights"], OWNERS) < 90 * len(OWNERS)


def test_nor_do_topics_of_one_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else wants them, so they have no heir; a newcomer is no reason to look again."""
    owns = [TopicName(f"own-{it}") for it in range(MANY + 1)]
    people = named(*(Applicant(frozenset({queue("t0").topic, own}), 1, None, "") for own in owns))
    owners = {queue(f"t{it}"): name for it, name in enumerate(people)}
    owners |= {Queue(own, BrokerName(""), 0): name for own, name in zip(owns, people, strict=True)}
    *others, newcomer = people
    before = {it: name for it, name in owners.items() if name != newcomer}
    standing = deal(Standing(), {name: people[name] for name in others}, before, None).standing
    assert MANY == len(standing)
    looks, lowest = Counter[str](), Pool.lowest

    def counted(pool: Pool) -> int | None:
        looks["looked"] += 1
        return lowest(pool)

    monkeypatch.setattr(Pool, "lowest", counted)
    assert 2 >= len(deal(standing, people, owners, owners.keys() - before.keys()).changes)
    assert looks["looked"] < 3 * MANY
