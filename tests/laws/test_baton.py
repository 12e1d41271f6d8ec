"""The baton, by exhaustion: the real ``step`` against every order in which things can happen.

A scope names how many members, queues and troubles there are; within it nothing is left to chance.
The scopes of `make check` reach some 100,000 worlds; the profile deep adds those that take
minutes and reach over a million. `make explore` goes through one scope as far as you like.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from rebalance.groups.handover import baton
from rebalance.groups.model.ownership import Asked, Grant, Ownership
from rebalance.groups.model.policy import TwinRule
from tests.builders.effort import DEEP
from tests.laws.exploration import Exploration
from tests.laws.real_controller import POLICY
from tests.laws.worlds import Scope, Trouble

REFUSING = replace(POLICY, on_twin=TwinRule.REFUSE_NEWER, on_twin_instance=TwinRule.REFUSE_NEWER)
HANDING_OVER = replace(POLICY, on_twin_instance=TwinRule.HAND_OVER)

SHALLOW = {
    "two members and a death": Scope(2, 1, Trouble(wishes=3, deaths=1)),
    "two members, two queues and a lost release": Scope(2, 2, Trouble(wishes=2, losses=1)),
    "three members whose target keeps changing": Scope(3, 1, Trouble(wishes=4)),
    "three members, a death and a lost release": Scope(3, 1, Trouble(wishes=2, deaths=1, losses=1)),
    "three members and two queues": Scope(3, 2, Trouble(wishes=2)),
    "a temporary leave": Scope(2, 1, Trouble(wishes=2, leaves=1, losses=1)),
    "an operator's drain": Scope(2, 1, Trouble(wishes=2, drains=1)),
    "a pause": Scope(2, 1, Trouble(wishes=3, pauses=1)),
    "a queue that vanishes and returns": Scope(2, 2, Trouble(wishes=1, shrinks=2)),
    "a twin that takes over": Scope(2, 1, Trouble(wishes=2, twins=1)),
    "a twin that is refused": Scope(2, 1, Trouble(wishes=2, twins=1, deaths=1), policy=REFUSING),
    "an instance that is taken over": Scope(2, 1, Trouble(wishes=2, surges=1)),
    "an instance that is handed over": Scope(2, 1, Trouble(wishes=2, surges=1), 0, HANDING_OVER),
    "an instance that is refused": Scope(2, 1, Trouble(2, deaths=1, surges=1), policy=REFUSING),
    "an eager member among others": Scope(2, 2, Trouble(wishes=2), eager=1),
    "an eager member, a death and a pause": Scope(
        2, 1, Trouble(wishes=2, deaths=1, pauses=1), eager=1
    ),
}
DEEPER = {
    "deep: two members that die twice": Scope(2, 1, Trouble(wishes=3, deaths=2, losses=1)),
    "deep: two members, two queues": Scope(2, 2, Trouble(wishes=2, deaths=1, losses=1)),
    "deep: three members, two deaths": Scope(3, 1, Trouble(wishes=3, deaths=2)),
    "deep: three members, two queues": Scope(3, 2, Trouble(wishes=2, deaths=1)),
    "deep: temporary leaves": Scope(2, 2, Trouble(wishes=2, leaves=1, losses=1)),
    "deep: operators": Scope(3, 1, Trouble(wishes=2, drains=1, pauses=1, losses=1)),
    "deep: vanishing queues": Scope(2, 2, Trouble(wishes=2, shrinks=2)),
    "deep: twins": Scope(2, 2, Trouble(wishes=2, twins=1)),
    "deep: instances": Scope(2, 2, Trouble(wishes=2, surges=1), 0, HANDING_OVER),
    "deep: eager members": Scope(3, 2, Trouble(wishes=3, deaths=1), eager=2),
}
SCOPES = SHALLOW | (DEEPER if DEEP else {})


@pytest.mark.timeout(3600 if DEEP else 300)
@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES.keys())
def test_one_owner_always_and_the_right_one_in_the_end(scope: Scope) -> None:
    """Nobody works where another may; a quiet group has each queue where it was wished (I1, I2)."""
    outcome = Exploration(scope).run()
    print(f"{outcome.worlds:,} worlds, {outcome.quiet:,} quiet")  # noqa: T201 - shown by -rP

    assert "" == outcome.violation
    assert outcome.complete
    assert outcome.quiet > 0


def test_a_part_of_a_scope_says_how_deep_it_goes() -> None:
    """What stops before the end has looked at every world of the depth that it names."""
    scope = SHALLOW["two members and a death"]
    part, whole = Exploration(scope).run(most=1_000), Exploration(scope).run()

    assert not part.complete
    assert whole.complete
    assert 0 < part.depth < whole.depth
    assert 1_000 <= part.worlds < whole.worlds


Settled = Callable[[Ownership | None, Grant | None, Asked], Ownership | None]


def heir_replaced_at_once(settled: Settled) -> Settled:
    """Plant: a changed mind names the new heir without waiting for the old one to let go."""

    def planted(owned: Ownership | None, wanted: Grant | None, asked: Asked) -> Ownership | None:
        if owned and owned.heir and wanted and wanted.member != owned.heir.member:
            other = None if wanted.member == owned.holder.member else wanted
            return replace(owned, heir=other)
        return settled(owned, wanted, asked)

    return planted


def heir_confirmed_before_the_release(settled: Settled) -> Settled:
    """Plant: the new owner is told to hold at once."""

    def planted(owned: Ownership | None, wanted: Grant | None, asked: Asked) -> Ownership | None:
        if owned and wanted and wanted.member != owned.holder.member:
            return Ownership(wanted)
        return settled(owned, wanted, asked)

    return planted


def told_to_hold_on(settled: Settled) -> Settled:
    """Plant: when the target returns to a holder that was told to give, it is told to hold on."""

    def planted(owned: Ownership | None, wanted: Grant | None, asked: Asked) -> Ownership | None:
        if owned and not owned.heir and wanted and wanted.member == owned.holder.member:
            return Ownership(replace(owned.holder, asked=None))
        return settled(owned, wanted, asked)

    return planted


def heir_forgotten(settled: Settled) -> Settled:
    """Plant: an heir that the target dropped is struck out of the books, as if it had no say."""

    def planted(owned: Ownership | None, wanted: Grant | None, asked: Asked) -> Ownership | None:
        if owned and owned.heir and wanted is None:
            return replace(owned, heir=None)
        return settled(owned, wanted, asked)

    return planted


TWO_OWNERS = "q0 has several owners"
STUCK = "at rest, q0 is not with the member it was wished for"
PLANTS = [
    (heir_replaced_at_once, TWO_OWNERS, Scope(3, 1, Trouble(wishes=4))),
    (heir_confirmed_before_the_release, TWO_OWNERS, Scope(2, 1, Trouble(wishes=2))),
    (told_to_hold_on, STUCK, Scope(2, 1, Trouble(wishes=3, losses=1))),
    (heir_forgotten, TWO_OWNERS, Scope(3, 1, Trouble(wishes=4))),
]


@pytest.mark.parametrize(("plant", "found", "scope"), PLANTS)
def test_a_planted_bug_is_found(
    plant: Callable[[Settled], Settled], found: str, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exploration has teeth: each way to get the rule wrong is found, with a trace."""
    monkeypatch.setattr(baton, "next_page", plant(baton.next_page))

    outcome = Exploration(scope).run()

    assert found == outcome.violation.partition(", after\n")[0]
