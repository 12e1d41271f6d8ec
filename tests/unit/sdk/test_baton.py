"""The member's side of the baton: to hold a queue, to give it, and to lose it."""

import pytest

from tests.builders.sessions import a_release, assignment, queue
from tests.unit.sdk.batons import DEADLINE, a_baton, grant, holding, waiting
from trimtab.protocol import GrantRef, HolderRef, ReleaseRef
from trimtab.session.baton import Changes


def test_hold_starts() -> None:
    """A queue to hold is worked on under the epoch given."""
    changes = a_baton().obey(assignment(1, hold=[(0, 1)]), DEADLINE)

    assert Changes(assigned=[grant()]) == changes


def test_hold_again_changes_nothing() -> None:
    """A grant that is repeated is the same grant."""
    assert Changes() == holding().obey(assignment(2, hold=[(0, 1)]), DEADLINE)


def test_give_revokes_what_is_worked_on() -> None:
    """The application is told to stop; nothing is released before it has."""
    baton = holding()
    changes = baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)

    assert Changes(revoked=[grant()]) == changes
    assert () == baton.working
    assert (GrantRef(*queue(), 1),) == baton.owned


def test_finishing_releases_with_the_position() -> None:
    """What the application says of its position travels in the release."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)

    assert Changes(released=[ReleaseRef(*queue(), 1, 42)]) == baton.finish({grant(): 42})
    assert baton.idle


def test_finishing_an_earlier_grant_releases_nothing() -> None:
    """A revocation of an earlier life that ends only now does not release the present grant."""
    baton = holding(epoch=2)
    baton.obey(assignment(3, give=[(0, 2)]), DEADLINE)

    assert Changes() == baton.finish({grant(token=1): 42})
    assert not baton.idle


@pytest.mark.parametrize("following", [None, 5])
@pytest.mark.parametrize("verb", ["hold", "give"])
def test_a_release_names_what_the_record_said_comes_next(verb: str, following: int | None) -> None:
    """Whether the record that said so said to hold or to give."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1, following if verb == "hold" else 3)]), DEADLINE)
    if verb == "hold":
        baton.revoke_all(DEADLINE)
    else:
        baton.obey(assignment(3, give=[(0, 1, following)]), DEADLINE)

    assert [ReleaseRef(*queue(), 1, 42, following)] == baton.finish({grant(): 42}).released


def test_another_next_is_remembered_and_nobody_hears_of_it() -> None:
    """The application works on: only what its release will say has changed."""
    baton = holding()

    assert Changes() == baton.obey(assignment(2, hold=[(0, 1, 7)]), DEADLINE)
    assert (HolderRef(*queue(), 1, 7),) == baton.holdings
    assert Changes() == baton.obey(assignment(3, hold=[(0, 1, None)]), DEADLINE)
    assert (HolderRef(*queue(), 1, None),) == baton.holdings


@pytest.mark.parametrize("verb", ["hold", "give"])
def test_a_revocation_takes_another_next_until_it_is_released(verb: str) -> None:
    """Also if the record still says hold, and the member is leaving by itself."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1, 2)]), DEADLINE)
    hold, give = ([(0, 1, 3)], []) if verb == "hold" else ([], [(0, 1, 3)])

    assert Changes() == baton.obey(assignment(3, hold=hold, give=give), DEADLINE + 1)
    assert DEADLINE == baton.deadline
    assert [ReleaseRef(*queue(), 1, 42, 3)] == baton.finish({grant(): 42}).released
    assert Changes() == baton.obey(assignment(4, give=[(0, 1, 4)]), DEADLINE)


def test_the_next_of_another_grant_is_not_taken() -> None:
    """A record that still names an earlier grant says nothing of the one that is worked on."""
    baton = a_baton()
    baton.obey(assignment(4, hold=[(0, 4, 5)]), DEADLINE)
    baton.revoke_all(DEADLINE)
    baton.obey(assignment(5, give=[(0, 3, 9)]), DEADLINE)

    assert (HolderRef(*queue(), 4, 5),) == baton.holdings


def test_give_releases_at_once_what_was_never_started() -> None:
    """The record that granted it was skipped: there is nothing to stop, so nobody hears of it."""
    changes = a_baton().obey(assignment(1, give=[(0, 1, 2)]), DEADLINE)

    assert Changes(released=[ReleaseRef(*queue(), 1, None, 2)]) == changes


def test_give_releases_what_was_inherited_and_never_started() -> None:
    """An heir that missed the release is the holder all the same, and may be told to give."""
    baton = waiting()

    changes = baton.obey(assignment(3, give=[(0, 2, 3)]), DEADLINE)

    assert Changes(released=[ReleaseRef(*queue(), 2, None, 3)]) == changes
    assert Changes() == baton.hear(a_release("a", (0, 1, None, 2)))


def test_nothing_is_released_twice() -> None:
    """Orders that still say give, after the release, are about the past."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)
    baton.finish({grant(): None})

    assert Changes() == baton.obey(assignment(3, give=[(0, 1)]), DEADLINE)


@pytest.mark.parametrize("finished", [False, True])
def test_what_was_given_is_never_held_again(*, finished: bool) -> None:
    """Whatever record still says hold, an epoch that was to be given is over."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)
    if finished:
        baton.finish({grant(): None})

    assert Changes() == baton.obey(assignment(3, hold=[(0, 1)]), DEADLINE)
    assert () == baton.working


def test_a_later_grant_of_a_released_queue_is_held() -> None:
    """Only the epoch is over, not the queue."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)
    baton.finish({grant(): None})

    assert Changes(assigned=[grant(token=3)]) == baton.obey(assignment(3, hold=[(0, 3)]), DEADLINE)


def test_a_queue_no_longer_named_is_lost() -> None:
    """The controller knows us no more as its owner, so there is nothing to release."""
    baton = holding()

    assert Changes(lost=[grant()]) == baton.obey(assignment(2), DEADLINE)
    assert baton.idle


def test_a_revocation_no_longer_named_is_lost() -> None:
    """Nor is there anything to finish."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)

    assert Changes(lost=[grant()]) == baton.obey(assignment(3), DEADLINE)
    assert Changes() == baton.finish({grant(): 42})


def test_another_epoch_replaces_the_grant() -> None:
    """A grant that the controller no longer knows is dropped before the new one is begun."""
    changes = holding().obey(assignment(5, hold=[(0, 5)]), DEADLINE)

    assert Changes(lost=[grant()], assigned=[grant(token=5)]) == changes


def test_giving_another_epoch_drops_the_old_grant_and_releases_the_new() -> None:
    """Orders may be skipped: the grant to be given need not be the one worked on."""
    changes = holding().obey(assignment(5, give=[(0, 5, 6)]), DEADLINE)

    assert Changes(lost=[grant()], released=[ReleaseRef(*queue(), 5, None, 6)]) == changes


def test_the_first_revocation_sets_the_deadline() -> None:
    """Each counts from its own order; repeating the order changes nothing."""
    baton = a_baton()
    baton.obey(assignment(1, hold=[(0, 1), (1, 1)]), DEADLINE)
    deadlines = [baton.deadline]
    baton.obey(assignment(2, hold=[(1, 1)], give=[(0, 1)]), DEADLINE)
    baton.obey(assignment(3, give=[(0, 1), (1, 1)]), DEADLINE + 1)
    deadlines.append(baton.deadline)
    baton.finish({grant(): None})
    deadlines.append(baton.deadline)

    assert [None, DEADLINE, DEADLINE + 1] == deadlines


def test_revoke_all_gives_everything_up() -> None:
    """What is worked on is revoked, what is only promised is forgotten."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1, 2)], inherit=[(1, 2, "a", 1)]), DEADLINE)

    assert Changes(revoked=[grant()]) == baton.revoke_all(DEADLINE)
    assert Changes() == baton.hear(a_release("a", (1, 1, None, 2)))
    assert [ReleaseRef(*queue(), 1, 42, 2)] == baton.finish({grant(): 42}).released


def test_what_is_to_be_kept_goes_to_nobody() -> None:
    """Except what is being given already: its heir was told."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1, 2)], give=[(1, 2, 3)]), DEADLINE)
    baton.obey(assignment(3, hold=[(0, 1, 2), (1, 3, 5)]), DEADLINE)
    baton.obey(assignment(4, hold=[(0, 1, 2)], give=[(1, 3, 5)]), DEADLINE)
    baton.revoke_all(DEADLINE, keep=True)

    rows = baton.finish({grant(): 42, grant(1, 3): 43}).released
    assert [ReleaseRef(*queue(), 1, 42, None), ReleaseRef(*queue(1), 3, 43, 5)] == rows


def test_only_what_has_somebody_next_is_handed_on() -> None:
    """The rest is worked on until somebody is found."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1, 2), (1, 1)], inherit=[(2, 2, "a", 1)]), DEADLINE)

    assert Changes(revoked=[grant()]) == baton.hand_on(DEADLINE)
    assert (grant(1),) == baton.working
    assert Changes() == baton.hand_on(DEADLINE)
    assert [grant(2, 2)] == baton.hear(a_release("a", (2, 1, None, 2))).assigned


def test_lose_all_drops_everything() -> None:
    """What is worked on and what is being finished is lost; promises are forgotten."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1), (1, 1)], inherit=[(2, 2, "a", 1)]), DEADLINE)
    baton.obey(assignment(3, hold=[(0, 1)], give=[(1, 1)], inherit=[(2, 2, "a", 1)]), DEADLINE)

    assert Changes(lost=[grant(), grant(1)]) == baton.lose_all()
    assert baton.idle
