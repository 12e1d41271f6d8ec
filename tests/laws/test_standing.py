"""The laws of the standing heirs, on small groups, against an oracle that tries everything."""

import random
from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allocators.sticky.strategy import sticky
from rebalance.allocation import AllocationRequest, Applicant, Candidates
from rebalance.groups.standing.dealing import Standing, deal
from rebalance.ids import BrokerName, MemberId, Queue, TopicName
from rebalance.owners import Owners
from tests.builders import standing_oracle as oracle
from tests.builders.effort import tried
from tests.laws.sticky_groups import GONE, MEMBERS, SUBSCRIPTIONS, TOPICS, dice, requests

TOPIC = TopicName("t")


@pytest.mark.slow
@tried(least=300)
@given(requests(), dice())
def test_heirs_are_allowed_and_nearly_the_best(
    request: AllocationRequest, deck: random.Random
) -> None:
    """From any heirs that were, whoever owns what; and none of it depends on any order."""
    candidates, owners = request.candidates, request.current
    names = [*candidates, GONE]
    were = {queue: deck.choice(names) for queue in owners if deck.random() < 0.7}
    heirs = deal(Standing(owners, were), candidates, owners, None).standing.heirs()
    shuffled = dict(deck.sample(list(owners.items()), len(owners)))
    others = dict(deck.sample(list(candidates.items()), len(candidates)))

    judge(candidates, owners, heirs)
    assert heirs == deal(Standing(shuffled, were), others, shuffled, None).standing.heirs()


@pytest.mark.slow
@tried(least=300)
@given(dice(), st.integers(1, 12))
def test_any_changes_leave_heirs_as_good(deck: random.Random, changes: int) -> None:
    """Deal after deal: as good as ever, the same as without a register, and then at rest."""
    candidates, owners, standing = dict[MemberId, Applicant](), dict[Queue, MemberId](), Standing()
    for _ in range(changes):
        before, heirs_before = dict(owners), standing.heirs()
        candidates = changed_candidates(deck, candidates)
        owners = changed_owners(deck, candidates, owners)
        aimed = [it for it in {**before, **owners} if before.get(it) != owners.get(it)]
        dealt = deal(standing, candidates, owners, aimed)
        unpacked = deal(Standing(before, heirs_before), candidates, owners, aimed)
        standing, heirs = dealt.standing, dealt.standing.heirs()

        judge(candidates, owners, heirs)
        assert heirs == unpacked.standing.heirs()
        assert dealt.changes == unpacked.changes == differences(heirs_before, heirs)
        assert heirs == {it: heir for it in owners if (heir := standing.heir_of(it)) is not None}


@pytest.mark.slow
@tried(least=100)
@given(dice(), st.integers(3, 30), st.integers(0, 200), st.integers(1, 8))
def test_one_member_more_or_less_changes_few(
    deck: random.Random, members: int, queues: int, changes: int
) -> None:
    """In a group of equals about two shares, as long as these are small beside the group.

    A share shrinks as a group grows, and burdens follow a little later: hence four queues more. If
    shares are large, each holding has to be made even anew: two queues a member more. Deals without
    any change come to rest.
    """
    candidates = {MemberId(f"m{it}"): Applicant(frozenset({TOPIC})) for it in range(members)}
    shelf = {TOPIC: tuple(Queue(TOPIC, BrokerName(""), it) for it in range(queues))}
    owners = sticky(AllocationRequest(candidates, shelf)).owners
    standing = at_rest(candidates, owners, Standing())
    for it in range(changes):
        candidates = dict(candidates)
        if len(candidates) <= 3 or deck.random() < 0.5:
            candidates[MemberId(f"n{it}")] = Applicant(frozenset({TOPIC}))
        else:
            del candidates[deck.choice(sorted(candidates))]
        plan = sticky(AllocationRequest(candidates, shelf, owners))
        dealt = deal(standing, candidates, plan.owners, plan.changed)
        owners, standing = plan.owners, dealt.standing

        share = -(-queues // len(candidates))
        extra = 2 * len(candidates) if 4 * share > len(candidates) else 4
        assert len(dealt.changes) <= 2 * share + extra
        assert nobody_is_too_high(candidates, dict(owners), standing.heirs())
    assert {} == deal(at_rest(candidates, owners, standing), candidates, owners, ()).changes


@pytest.mark.slow
@tried(least=100)
@given(st.integers(2, 12), st.integers(0, 60), st.sampled_from([(1, 1), (1, 2), (1, 3)]))
def test_a_departure_is_nearly_what_sticky_makes_of_it(
    members: int, queues: int, weights: tuple[int, int]
) -> None:
    """Nobody has more than one queue above the fullest that STICKY would make, by weight."""
    candidates = {
        MemberId(f"m{it}"): Applicant(frozenset({TOPIC}), weights[it % 2]) for it in range(members)
    }
    shelf = {TOPIC: tuple(Queue(TOPIC, BrokerName(""), it) for it in range(queues))}
    owners = sticky(AllocationRequest(candidates, shelf)).owners
    heirs = deal(Standing(), candidates, owners, None).standing.heirs()
    for leaver in candidates:
        left = {name: one for name, one in candidates.items() if name != leaver}
        best = Counter(sticky(AllocationRequest(left, shelf, owners)).owners.values())
        loads = Counter(heirs[it] if owner == leaver else owner for it, owner in owners.items())

        tallest = max((best[name] + 1) / one.weight for name, one in left.items())
        assert all(loads[name] / one.weight <= tallest for name, one in left.items())


def judge(candidates: Candidates, owners: Owners, heirs: Owners) -> None:
    """Each holding has as many heirs as can be, and none stands more than a queue too high."""
    assert oracle.allowed(candidates, owners, heirs)
    for owner, queues in oracle.holdings(owners).items():
        best = oracle.best(candidates, owners, owner)
        dealt = {queue: heirs[queue] for queue in queues if queue in heirs}
        assert len(best) == len(dealt)
        limit = oracle.highest(candidates, owners, best, more=1)
        assert oracle.highest(candidates, owners, dealt) <= limit


def nobody_is_too_high(candidates: Candidates, owners: Owners, heirs: Owners) -> bool:
    """Tell whether, among equals, each heir stands at most two queues above the lowest other."""
    own = Counter(owners.values())
    after = {owner: Counter(own) for owner in candidates}
    for queue, heir in heirs.items():
        after[owners[queue]][heir] += 1
    return all(
        after[owner][heir] <= min(after[owner][name] for name in candidates if name != owner) + 2
        for owner, heir in {(owners[queue], heir) for queue, heir in heirs.items()}
    )


def differences(before: Owners, after: Owners) -> Mapping[Queue, MemberId | None]:
    """Whose heir is another one, or none."""
    both = {*before, *after}
    return {it: after.get(it) for it in both if before.get(it) != after.get(it)}


def at_rest(candidates: Candidates, owners: Owners, standing: Standing) -> Standing:
    """Deal until nothing is left to even out: a few shares, one a deal."""
    for _ in range(len(candidates)):
        dealt = deal(standing, candidates, owners, None)
        standing = dealt.standing
        if not dealt.changes:
            break
    return standing


def changed_candidates(
    deck: random.Random, candidates: Mapping[MemberId, Applicant]
) -> dict[MemberId, Applicant]:
    """Let some come, go or change."""
    after = dict(candidates)
    for name in MEMBERS:
        if deck.random() < 0.3:
            after.pop(name, None)
            if deck.random() < 0.7:
                after[name] = Applicant(
                    deck.choice([frozenset(TOPICS), deck.choice(SUBSCRIPTIONS)]),
                    deck.choice([1, 1, 1, 2, 3]),
                    deck.choice([None, None, None, 0, 1, 2, 3]),
                    deck.choice(["", "east", "west"]),
                )
    return after


def changed_owners(
    deck: random.Random, candidates: Candidates, owners: Owners
) -> dict[Queue, MemberId]:
    """Let some queues come, go, or have another owner: STICKY's, anybody's, or one that is gone."""
    queues = {
        topic: tuple(Queue(topic, BrokerName(""), it) for it in range(deck.randint(0, 2)))
        for topic in TOPICS
    }
    owned = {it: owners[it] for shelf in queues.values() for it in shelf if it in owners}
    if deck.random() < 0.6:
        return dict(sticky(AllocationRequest(candidates, queues, owned)).owners)
    anybody = [*candidates, GONE]
    every = [queue for shelf in queues.values() for queue in shelf]
    return {
        it: owners[it] if it in owners and deck.random() < 0.7 else deck.choice(anybody)
        for it in every
        if deck.random() < 0.9
    }
