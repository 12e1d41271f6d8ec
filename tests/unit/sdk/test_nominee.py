"""Whom a release names when lives have come and gone, and what becomes of a life that is named."""

from collections.abc import Iterable

import pytest

from tests.builders.sessions import (
    MINE,
    OTHERS,
    a_release,
    acknowledge,
    assignment,
    joined,
    marks,
    queue,
    sent,
)
from tests.unit.sdk.batons import DEADLINE, a_baton, grant, holding, mine
from tests.unit.sdk.passage import GRANT
from trimtab.protocol import HolderRef, Leave, LifeRef, Release, ReleaseRef, limits
from trimtab.session import recall
from trimtab.session.baton import Baton, Changes
from trimtab.session.recall import Recall

ME = LifeRef("m", MINE)
YOUNGER = "1767225602000-00000001"
YOUNGEST = "1767225603000-00000001"
AGAIN = LifeRef("a", YOUNGER)
"""Of "a", which was there as the life OTHERS before."""


def naming(life: LifeRef | None, *, after: int = 1, epoch: int = 2, number: int = 0) -> Release:
    """A release of "a" that names a life."""
    row = ReleaseRef(*queue(number), after, 42, epoch, life)
    return Release(member="a", incarnation=OTHERS, sequence=1, queues=(row,))


def mark(member: str, incarnation: str, *, gone: bool = False, by: str | None = None) -> Release:
    """A life shows that it is there, or that it goes."""
    said = a_release(member, incarnation=incarnation)
    return said.model_copy(update={"gone": gone or None, "by": by})


# -- a life that is named


@pytest.mark.parametrize("promised", [False, True])
def test_whoever_is_named_begins(*, promised: bool) -> None:
    """Where the last owner stopped, also if nobody has promised it the queue, or another epoch."""
    baton = a_baton()
    if promised:
        baton.obey(assignment(2, inherit=[(0, 7, "a", 1)]), DEADLINE)

    assert Changes(assigned=[grant(token=2, position=42)]) == baton.hear(naming(ME))
    assert (grant(token=2, position=42),) == baton.working


STRANGE = {
    "another member": naming(LifeRef("b", MINE)),
    "another life": naming(LifeRef("m", YOUNGER)),
    "an epoch that is not above": naming(ME, after=2, epoch=2),
    "an epoch that was never drawn": naming(ME, epoch=limits.NAMED_AHEAD + 2),
}


@pytest.mark.parametrize("release", STRANGE.values(), ids=STRANGE)
def test_no_other_begins(release: Release) -> None:
    """The life and a later epoch are named, or nothing begins."""
    assert Changes() == a_baton().hear(release)


def test_only_the_first_release_of_a_grant_names_a_life() -> None:
    """Its guard named another: that one works."""
    baton = a_baton()
    baton.hear(naming(LifeRef("b", OTHERS)))

    assert Changes() == baton.hear(naming(ME))


def test_an_heir_does_not_begin_if_another_life_is_named_under_its_epoch() -> None:
    """Of its own name, say: it has said that it goes, and is there anew."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes() == baton.hear(naming(LifeRef("m", YOUNGER)))


def test_an_heir_that_is_named_begins_when_it_reads_its_promise() -> None:
    """Either way, and once."""
    baton = a_baton()
    baton.hear(naming(ME))

    assert Changes() == baton.obey(assignment(2, hold=[(0, 2)]), DEADLINE)
    assert (grant(token=2, position=42),) == baton.working


@pytest.mark.parametrize("later", ["hold", "inherit", "let go"])
def test_whoever_knows_of_a_later_grant_does_not_begin(later: str) -> None:
    """What it was told is of a later time than the release."""
    baton = holding(epoch=3) if later == "hold" else a_baton()
    if later == "inherit":
        baton.obey(assignment(9, inherit=[(0, 9, "b", 3)]), DEADLINE)
    if later == "let go":
        baton.hear(mine((0, 2, None, 3)))

    assert Changes() == baton.hear(naming(ME))


def test_what_it_does_not_subscribe_it_lets_go_at_once() -> None:
    """To nobody, because it knows of nobody; and it never works on it."""
    baton = a_baton()
    row = ReleaseRef("other", "", 0, 1, 42, 2, ME)
    release = naming(ME).model_copy(update={"queues": (row,)})

    released = ReleaseRef("other", "", 0, 2, 42, None)
    assert Changes(released=[released]) == baton.hear(release)
    assert Changes() == baton.hear(release)
    assert baton.idle


# -- whom a holder names

GONE = mark("a", OTHERS, gone=True)
THERE = mark("a", YOUNGER)
TOLD = assignment(1, hold=[(0, 1, 5)])


def told(life: LifeRef | None) -> Baton:
    """A holder that was told that epoch 5 comes next, and whose that is."""
    baton = a_baton()
    row = HolderRef(*queue(), 1, 5, life)
    baton.obey(TOLD.model_copy(update={"hold": (row,)}), DEADLINE)
    return baton


def untold() -> Baton:
    """An heir that has begun on a release of "a", under epoch 2."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)
    baton.hear(naming(None))
    return baton


OTHERS_LIFE = LifeRef("a", OTHERS)
NAMED = {
    # what is: (the holder, what it has heard, whom it names)
    "who was told": (told(OTHERS_LIFE), [], (5, None)),
    "of whom nothing is known": (told(None), [GONE, THERE], (5, None)),
    "who is there, and another of its name": (told(OTHERS_LIFE), [THERE], (5, None)),
    "who has gone": (told(OTHERS_LIFE), [GONE], (None, None)),
    "who is back": (told(OTHERS_LIFE), [GONE, THERE], (5, AGAIN)),
    "who is back, in another order": (told(OTHERS_LIFE), [THERE, GONE], (5, AGAIN)),
    "who is back once more": (
        told(OTHERS_LIFE),
        [GONE, THERE, mark("a", YOUNGER, gone=True), mark("a", YOUNGEST)],
        (5, LifeRef("a", YOUNGEST)),
    ),
    "who was back": (
        told(OTHERS_LIFE),
        [GONE, THERE, mark("a", YOUNGER, gone=True)],
        (None, None),
    ),
    "whose guard has spoken": (
        told(OTHERS_LIFE),
        [mark("a", OTHERS, gone=True, by="guard"), THERE],
        (5, AGAIN),
    ),
    "whose mark is another's word": (
        told(OTHERS_LIFE),
        [GONE, mark("a", YOUNGER, by="controller")],
        (None, None),
    ),
    "nobody": (holding(), [GONE, THERE], (None, None)),
    "nobody yet": (untold(), [], (None, None)),
    "its giver, who is back": (untold(), [GONE, THERE], (3, AGAIN)),
    "its giver, who has not gone": (untold(), [THERE], (None, None)),
}


@pytest.mark.parametrize(("baton", "heard", "expected"), NAMED.values(), ids=NAMED)
def test_whom_a_holder_names(
    baton: Baton, heard: Iterable[Release], expected: tuple[int | None, LifeRef | None]
) -> None:
    """Its guard is told the same."""
    for release in heard:
        baton.hear(release)

    (row,) = baton.holdings
    assert expected == (row.next, row.to)


def test_who_is_told_forgets_from_whom_it_came() -> None:
    """A record says who comes next; if nobody does, the queue is left to the controller."""
    baton = untold()
    for release in (GONE, THERE):
        baton.hear(release)
    baton.obey(assignment(3, hold=[(0, 2)]), DEADLINE)

    assert [HolderRef(*queue(), 2, None)] == list(baton.holdings)


def test_nobody_names_an_older_life_of_itself() -> None:
    """It has the queue from one, and knows of another between the two."""
    baton = a_baton()
    older = "1767225500000-00000001"
    row = ReleaseRef(*queue(), 1, None, 2, ME)
    baton.hear(mark("m", "1767225550000-00000001"))
    baton.hear(Release(member="m", incarnation=older, sequence=1, queues=(row,), gone=True))

    assert [HolderRef(*queue(), 2, None)] == list(baton.holdings)


def test_only_so_many_members_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were heard of last; the others are not named."""
    monkeypatch.setattr(recall, "MEMBERS", 1)
    memory = Recall()
    for release in (GONE, THERE):
        memory.hear(release)
    assert AGAIN == memory.successor(OTHERS_LIFE)

    memory.hear(mark("b", OTHERS))
    assert memory.successor(OTHERS_LIFE) is None


# -- leaving


def test_who_leaves_hands_on_as_soon_as_there_is_somebody() -> None:
    """It works on meanwhile; the mark of the one that is back is all that it needs."""
    session = joined()
    row = HolderRef(*queue(), 1, 5, OTHERS_LIFE)
    record = assignment(2).model_copy(update={"hold": (row,)})
    session.receive(record, 0)
    session.hear(GONE, 0)
    acknowledge(session, session.stop(0, timeout_ms=30_000), 0)
    assert (GRANT,) == session.working

    session.hear(THERE, 0)
    assert (GRANT,) == session.revoking
    (release,) = sent(Release, session.finish({GRANT: 42}, 0))
    assert (ReleaseRef(*queue(), 1, 42, 5, AGAIN),) == release.queues
    assert release.gone


def test_who_leaves_says_once_that_it_goes() -> None:
    """With what it releases; or by itself, before it leaves."""
    for held, alone in (((0, 1, 5),), 0), ((), 1):
        session = joined(*held)
        actions = session.stop(0, timeout_ms=30_000)
        for grants in [session.revoking]:
            actions += session.finish(dict.fromkeys(grants), 0)
        actions += acknowledge(session, actions, 0)

        assert [True] == [it.gone for it in sent(Release, actions)]
        assert alone == len(marks(actions))
        assert 1 == len(sent(Leave, actions))
