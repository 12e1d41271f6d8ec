"""Two controllers, by exhaustion: another one starts while one is at work.

As in ``test_baton`` real sessions meet the real ``step``, here of both. The younger one has the
older one's checkpoint, an old copy of one, or nothing but the log. The older one may have decided a
batch before it could read that the other starts. Any part of that batch may be published when the
younger one looks. What comes later comes when the younger one has told the members something of its
own (a frozen one wakes), or else at any time: then only as much holds as the last tests say.
"""

import pytest

from rebalance.groups import adoption
from tests.builders.effort import DEEP
from tests.laws import wrong_starts
from tests.laws.exploration import Exploration
from tests.laws.older import Memory, Patience
from tests.laws.planting import Plant, finds
from tests.laws.worlds import Scope, Trouble
from trimtab.session import MemberSession


def taken_over(
    trouble: Trouble,
    memory: Memory = Memory.NOTHING,
    patience: Patience = Patience.ENDED,
    members: int = 2,
) -> Scope:
    """Return a scope in which a second controller starts."""
    return Scope(members, 1, trouble, reborn=False)._replace(memory=memory, patience=patience)


ONCE, DYING = Trouble(2, takeovers=1), Trouble(2, deaths=1, takeovers=1)
TWICE = Trouble(2, takeovers=2)

SHALLOW = {
    "its checkpoint is taken over": taken_over(DYING, Memory.CHECKPOINT),
    "nothing is known but the log": taken_over(DYING),
}
LONGER = {
    "an old copy is restored": taken_over(DYING, Memory.BACKUP),
    "a frozen one wakes": taken_over(ONCE, Memory.CHECKPOINT, Patience.PASSED),
    "a frozen one wakes, and nothing was known": taken_over(ONCE, patience=Patience.PASSED),
    "three members": taken_over(ONCE, members=3),
    "a third one": taken_over(TWICE),
}
DEEPER = {
    "deep: a third one, its checkpoint is taken over": taken_over(TWICE, Memory.CHECKPOINT),
    "deep: a frozen one wakes, and somebody has died": taken_over(DYING, patience=Patience.PASSED),
    "deep: two frozen ones": taken_over(TWICE, patience=Patience.PASSED),
    "deep: three members, and one has died": taken_over(DYING, members=3),
    "deep: two queues": taken_over(ONCE)._replace(queues=2),
    "deep: who died comes back": taken_over(DYING)._replace(reborn=True),
}
SCOPES = SHALLOW | LONGER | (DEEPER if DEEP else {})


@pytest.mark.slow
@pytest.mark.timeout(3600 if DEEP else 900)
@pytest.mark.parametrize("scope", SCOPES.values(), ids=SCOPES.keys())
def test_one_owner_though_there_are_two_controllers(scope: Scope) -> None:
    """Nobody works where another may, and each queue is where it was wished in the end (A5)."""
    outcome = Exploration(scope).run()
    print(f"{outcome.worlds:,} worlds, {outcome.quiet:,} quiet")  # noqa: T201 - shown by -rP

    assert "" == outcome.violation
    assert outcome.complete
    assert outcome.quiet > 0


HASTY = taken_over(ONCE, patience=Patience.NONE)


@pytest.mark.slow
@pytest.mark.parametrize("memory", [HASTY.memory, Memory.CHECKPOINT])
def test_who_has_read_what_the_younger_one_told_works_beside_nobody(memory: Memory) -> None:
    """If the older one's last batch comes when the younger one has looked, that is all that holds.

    Whoever has obeyed that batch obeys what it reads next: it has a greater epoch, and so has
    whatever the younger one grants. One that has a checkpoint tells whom it finds no record of.
    """
    outcome = Exploration(HASTY._replace(memory=memory, lenient=True)).run()

    assert "" == outcome.violation
    assert outcome.complete


HEEDED = HASTY._replace(memory=Memory.CHECKPOINT, lenient=True, rest=(0,), wanted=((0,), (1,)))
"""Whoever owns the queue has a record, which is there."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "found"),
    [
        pytest.param(HASTY, "q0 has several owners", id="before it has read that"),
        pytest.param(
            HASTY._replace(memory=Memory.CHECKPOINT),
            "q0 has several owners",
            id="though nothing was forgotten",
        ),
        pytest.param(HEEDED, "q0 has several owners", id="it ignores what has no greater epoch"),
        pytest.param(
            HEEDED._replace(members=1),
            "at rest, q0 is not with the member it was wished for",
            id="it is told nothing",
        ),
    ],
)
def test_what_is_not_survived(scope: Scope, found: str) -> None:
    """The same, and the limits of it (``docs/survival.md``).

    Until it reads that, it may work beside another. And a controller that finds nothing new at its
    start, because the older one has written nothing yet, and nothing missing, tells nobody
    anything; what it decides first has the epoch of that batch.
    """
    outcome = Exploration(scope).run()

    assert found == outcome.wrong


PLANTS: dict[str, Plant] = {
    "older records obeyed": (
        MemberSession,
        "is_news",
        wrong_starts.older_records_obeyed,
        taken_over(ONCE, Memory.CHECKPOINT, Patience.PASSED),
        "the token of q0 went back from 3 to 2",
    ),
    "no epoch left out": (
        adoption,
        "begun",
        wrong_starts.no_epoch_left_out,
        HASTY._replace(lenient=True),
        "q0 has several owners",
    ),
    "releases not read back": (
        adoption,
        "_hear_again",
        wrong_starts.releases_not_read_back,
        taken_over(ONCE),
        "the books are not at rest",
    ),
    "latest claim believed": (
        adoption,
        "page_of",
        wrong_starts.latest_claim_believed,
        taken_over(ONCE),
        "q0 has several owners",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS.keys())
def test_a_planted_bug_is_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    """What only a second controller reveals is found, in either half."""
    *_, found = plant

    assert found == finds(plant, monkeypatch)
