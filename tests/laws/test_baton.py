"""The baton, by exhaustion: the real ``step`` and real sessions, in every order of what can happen.

A scope names how many members, queues and troubles there are; within it nothing is left to chance.
The scopes of `make test` reach hundreds of thousands of worlds, and `make check` goes through two
small ones; the profile deep adds those that take minutes and reach over a million. `make explore`
goes through one scope as far as you like.
"""

from dataclasses import replace

import pytest

from rebalance.groups.handover import baton, endings
from rebalance.groups.members import admission
from rebalance.groups.model.policy import TwinRule
from tests.builders import wrong_pages
from tests.builders.effort import DEEP
from tests.laws import views, wrong_members
from tests.laws.exploration import Exploration
from tests.laws.planting import Plant, finds
from tests.laws.real_controller import POLICY, STANDING
from tests.laws.worlds import Scope, Trouble, guarded
from trimtab.session.baton import Baton
from trimtab.session.recall import Recall

REFUSING = replace(POLICY, on_twin=TwinRule.REFUSE_NEWER, on_twin_instance=TwinRule.REFUSE_NEWER)
HANDING_OVER = replace(POLICY, on_twin_instance=TwinRule.HAND_OVER)

SHALLOW = {
    "two members and a death": Scope(2, 1, Trouble(wishes=3, deaths=1)),
    "two members, two queues and a lost release": Scope(2, 2, Trouble(wishes=2, losses=1)),
    "three members whose target keeps changing": Scope(3, 1, Trouble(wishes=4)),
    "a member that leaves": Scope(2, 1, Trouble(wishes=3, stops=1)),
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
    "a guard, the controller and a standing heir": guarded(3, (0,), Trouble(0, deaths=1)),
    "a guard, the controller and two heirs": guarded(
        3, (0,), Trouble(1, deaths=1), wanted=((2,),), reborn=False
    ),
    "standing heirs, from the first start on": Scope(
        2, 1, Trouble(wishes=1, deaths=1), policy=STANDING, guards=True
    ),
}
LONGER = {
    "a guard, the controller and a changed mind": guarded(2, (0,), Trouble(1, deaths=1)),
    "a guard, two queues": guarded(3, (0, 0), Trouble(0, deaths=1), reborn=False),
    "three members, a death and a lost release": Scope(3, 1, Trouble(wishes=2, deaths=1, losses=1)),
    "three members and two queues": Scope(3, 2, Trouble(wishes=2)),
}
DEEPER = {
    "deep: two members that die twice": Scope(2, 1, Trouble(wishes=3, deaths=2, losses=1)),
    "deep: two members, two queues": Scope(2, 2, Trouble(wishes=2, deaths=1, losses=1)),
    "deep: three members, two deaths": Scope(3, 1, Trouble(wishes=3, deaths=2)),
    "deep: three members, two queues": Scope(3, 2, Trouble(wishes=2, deaths=1)),
    "deep: temporary leaves": Scope(2, 2, Trouble(wishes=2, leaves=1, losses=1)),
    "deep: members that leave": Scope(2, 2, Trouble(wishes=2, stops=1)),
    "deep: operators": Scope(3, 1, Trouble(wishes=2, drains=1, pauses=1, losses=1)),
    "deep: vanishing queues": Scope(2, 2, Trouble(wishes=2, shrinks=2)),
    "deep: twins": Scope(2, 2, Trouble(wishes=2, twins=1)),
    "deep: instances": Scope(2, 2, Trouble(wishes=2, surges=1), 0, HANDING_OVER),
    "deep: eager members": Scope(3, 2, Trouble(wishes=3, deaths=1), eager=2),
    "deep: a guard, two heirs, and who died comes back": guarded(3, (0,), Trouble(1, deaths=1)),
    "deep: guards, two queues, and who died comes back": guarded(2, (0, 0), Trouble(0, deaths=1)),
    "deep: departures that were foreseen": guarded(3, (0,), Trouble(0, stops=1, drains=1)),
    "deep: a guard and a twin that is refused": guarded(
        2, (0,), Trouble(0, deaths=1, twins=1), reborn=False
    )._replace(policy=replace(STANDING, on_twin=TwinRule.REFUSE_NEWER)),
    "deep: a guard and an eager member": guarded(
        3, (1,), Trouble(0, deaths=1), reborn=False
    )._replace(eager=1),
    "deep: a guard and a temporary leave": guarded(2, (0,), Trouble(0, deaths=1, leaves=1)),
    "deep: a guard and a pause": guarded(3, (0,), Trouble(0, deaths=1, pauses=1), reborn=False),
}
BRIEF = ("an operator's drain", "an eager member among others")
"""They take less than a second, so `make check` goes through them, too."""
SCOPES = [
    pytest.param(scope, id=name, marks=() if name in BRIEF else pytest.mark.slow)
    for name, scope in (SHALLOW | LONGER | (DEEPER if DEEP else {})).items()
]


@pytest.mark.timeout(3600 if DEEP else 900)
@pytest.mark.parametrize("scope", SCOPES)
def test_one_owner_always_and_the_right_one_in_the_end(scope: Scope) -> None:
    """Nobody works where another may; a quiet group has each queue where it was wished (I1, I2)."""
    outcome = Exploration(scope).run()
    print(f"{outcome.worlds:,} worlds, {outcome.quiet:,} quiet")  # noqa: T201 - shown by -rP

    assert "" == outcome.violation
    assert outcome.complete
    assert outcome.quiet > 0


@pytest.mark.slow
def test_a_part_of_a_scope_says_how_deep_it_goes() -> None:
    """What stops before the end has looked at every world of the depth that it names."""
    scope = SHALLOW["a temporary leave"]
    part, whole = Exploration(scope).run(most=1_000), Exploration(scope).run()

    assert not part.complete
    assert whole.complete
    assert 0 < part.depth < whole.depth
    assert 1_000 <= part.worlds < whole.worlds


TWO_OWNERS = "q0 has several owners"
MISPLACED = "at rest, q0 is not with the member it was wished for"
PLANTS: dict[str, Plant] = {
    "heir confirmed": (
        baton,
        "next_page",
        wrong_pages.heir_confirmed_before_release,
        Scope(2, 1, Trouble(wishes=2)),
        TWO_OWNERS,
    ),
    "told to hold on": (
        baton,
        "next_page",
        wrong_pages.told_to_hold_on,
        Scope(2, 1, Trouble(wishes=3, losses=1)),
        MISPLACED,
    ),
    "promise withdrawn": (
        baton,
        "next_page",
        wrong_pages.promise_withdrawn,
        Scope(3, 1, Trouble(wishes=4)),
        TWO_OWNERS,
    ),
    "fenced beside the log": (
        endings,
        "_end",
        wrong_pages.fenced_beside_the_log,
        SHALLOW["two members and a death"],
        TWO_OWNERS,
    ),
    "beside the log, and beside a guard": (
        endings,
        "_end",
        wrong_pages.fenced_beside_the_log,
        SHALLOW["a guard, the controller and two heirs"],
        TWO_OWNERS,
    ),
    "booked as it was meant": (
        endings,
        "book",
        wrong_pages.booked_as_it_was_meant,
        SHALLOW["a guard, the controller and two heirs"],
        TWO_OWNERS,
    ),
    "mark not awaited": (
        admission,
        "_described",
        wrong_pages.mark_not_awaited,
        guarded(2, (0,), Trouble(0, deaths=1)),
        TWO_OWNERS,
    ),
    "guard too soon": (
        views,
        "dead",
        wrong_members.lives_on,
        guarded(2, (0,), Trouble(0, deaths=1)),
        TWO_OWNERS,
    ),
    "works on when released": (
        Baton,
        "hear",
        wrong_members.works_on_when_released,
        Scope(2, 1, Trouble(wishes=2, twins=1)),
        "somebody works on under a grant that it knows to be released",
    ),
    "waits though told to hold": (
        Baton,
        "_is_news",
        wrong_members.waits_though_told_to_hold,
        Scope(2, 1, Trouble(wishes=2)),
        MISPLACED,
    ),
    "starts whoever is named": (
        Recall,
        "first",
        wrong_members.starts_whoever_is_named,
        Scope(3, 1, Trouble(wishes=4)),
        TWO_OWNERS,
    ),
    "holds what it let go": (
        Baton,
        "_is_news",
        wrong_members.holds_what_it_let_go,
        Scope(2, 2, Trouble(1, stops=1, shrinks=1), rest=(0, 0), wanted=((1, 0),)),
        TWO_OWNERS,
    ),
    "releases before it has stopped": (
        Baton,
        "_give",
        wrong_members.releases_before_it_has_stopped,
        Scope(2, 1, Trouble(wishes=2)),
        TWO_OWNERS,
    ),
    "keeps what is not named": (
        Baton,
        "_take_away",
        wrong_members.keeps_what_is_not_named,
        SHALLOW["two members and a death"],
        MISPLACED,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS.keys())
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exploration has teeth: each way to get a rule wrong is found, in either half."""
    *_, found = plant

    assert found == finds(plant, monkeypatch)
