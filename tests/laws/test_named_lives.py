"""Releases that name a life, by exhaustion: members hand on without the controller.

As in ``test_baton`` real sessions meet the real ``step``. Here they also read the releases in
order, and so know who has gone and who is back. A rolling restart is explored while the controller
is away, and when it is back; deeper scopes have it work on meanwhile.
"""

from dataclasses import replace

import pytest

from rebalance.groups.members import twins
from rebalance.groups.model.policy import TwinRule
from tests.builders.effort import DEEP
from tests.laws import wrong_names
from tests.laws.exploration import Exploration
from tests.laws.planting import Plant, finds
from tests.laws.real_controller import STANDING
from tests.laws.worlds import Scope, Trouble, guarded
from trimtab.session import baton
from trimtab.session.baton import Baton
from trimtab.session.recall import Recall

REFUSING = replace(STANDING, on_twin=TwinRule.REFUSE_NEWER)
ONCE, TWICE = Trouble(0, stops=1, deaths=1, returns=1), Trouble(0, stops=2, returns=1)


def named_lives(members: int, trouble: Trouble, *, away: bool = False) -> Scope:
    """Return a scope in which members read the releases in order, and name lives."""
    return guarded(members, (0,), trouble, reborn=False)._replace(lives=True, away=away)


SHALLOW = {"a rolling restart, the controller away": named_lives(2, TWICE, away=True)}
LONGER = {
    "a guard names a life, the controller away": named_lives(2, ONCE, away=True),
    "a rolling restart": named_lives(2, TWICE),
}
DEEPER = {
    "deep: a guard and the controller": named_lives(2, ONCE),
    "deep: a rolling restart, twins refused": named_lives(2, TWICE)._replace(policy=REFUSING),
    "deep: everybody comes back, the controller away": named_lives(
        2, Trouble(0, stops=2, returns=2), away=True
    ),
}
SCOPES = SHALLOW | LONGER | (DEEPER if DEEP else {})


@pytest.mark.slow
@pytest.mark.timeout(3600 if DEEP else 900)
@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES.keys())
def test_one_owner_and_who_is_named_begins(scope: Scope) -> None:
    """Who was named works when it reads that, is let in, and nobody else works beside it."""
    outcome = Exploration(scope).run()
    print(f"{outcome.worlds:,} worlds, {outcome.quiet:,} quiet")  # noqa: T201 - shown by -rP

    assert "" == outcome.violation
    assert outcome.complete
    assert outcome.quiet > 0


TWO_OWNERS = "q0 has several owners"
PLANTS: dict[str, Plant] = {
    "named before its mark": (
        Recall,
        "successor",
        wrong_names.named_before_its_mark,
        SHALLOW["a rolling restart, the controller away"],
        "a life is named that has shown no mark",
    ),
    "named under its own epoch": (
        baton,
        "named",
        wrong_names.named_under_its_own_epoch,
        SHALLOW["a rolling restart, the controller away"],
        "a life that was named does not begin",
    ),
    "promise is enough": (
        Baton,
        "_start_if_named",
        wrong_names.promise_is_enough,
        Scope(2, 1, Trouble(wishes=2)),
        TWO_OWNERS,
    ),
    "nobody is let in": (
        twins,
        "_is_namesake",
        wrong_names.nobody_is_let_in,
        SHALLOW["a rolling restart, the controller away"]._replace(policy=REFUSING),
        "a life that was named is kept out",
    ),
    "named though the older stays": (
        Recall,
        "has_gone",
        wrong_names.named_though_the_older_stays,
        guarded(2, (0, 1), Trouble(0, stops=1, twins=1), reborn=False)._replace(
            lives=True, policy=REFUSING
        ),
        "q1 has several owners",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS.keys())
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way to name a life wrongly, to keep it out or to begin in its place is found."""
    *_, found = plant

    assert found == finds(plant, monkeypatch)
