"""The member's side of the baton, rule by rule."""

import pytest

from tests.builders.sessions import MINE, OTHERS, a_release, assignment, queue
from trimtab.protocol import GrantRef, Release, ReleaseRef
from trimtab.session import Grant
from trimtab.session.baton import Baton, Changes
from trimtab.session.recall import Recall

DEADLINE = 1_000


def a_baton() -> Baton:
    """A life that has seen no assignment."""
    return Baton("m", MINE, Recall())


def holding(epoch: int = 1) -> Baton:
    """A life that works on queue 0."""
    baton = a_baton()
    baton.obey(assignment(epoch, hold=[(0, epoch)]), DEADLINE)
    return baton


def grant(number: int = 0, token: int = 1, position: int | None = None) -> Grant:
    """A grant of one of the test's queues."""
    return Grant(queue(number), token, position)


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


def test_give_releases_at_once_what_was_never_started() -> None:
    """There is nothing to stop, so the application hears nothing of it."""
    changes = a_baton().obey(assignment(1, give=[(0, 1)]), DEADLINE)

    assert Changes(released=[ReleaseRef(*queue(), 1, None)]) == changes


def test_give_releases_a_promise() -> None:
    """An heir whose promise is withdrawn lets go of it at once."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    changes = baton.obey(assignment(3, give=[(0, 2)]), DEADLINE)

    assert Changes(released=[ReleaseRef(*queue(), 2, None)]) == changes
    assert Changes() == baton.hear(a_release("a", (0, 1, None)))


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


def test_an_heir_waits_for_the_release() -> None:
    """An inheritance alone starts nothing."""
    baton = a_baton()

    assert Changes() == baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)
    assert () == baton.owned


def test_an_heir_starts_on_the_release_where_the_owner_stopped() -> None:
    """The exact release starts it, at the position in the release."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    changes = baton.hear(a_release("a", (0, 1, 42)))

    assert Changes(assigned=[grant(token=2, position=42)]) == changes


def test_an_heir_starts_on_a_release_heard_before() -> None:
    """The release may overtake the assignment, since they travel by different topics."""
    baton = a_baton()
    baton.hear(a_release("a", (0, 1, 42)))

    changes = baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes(assigned=[grant(token=2, position=42)]) == changes


@pytest.mark.parametrize(
    "release",
    [
        a_release("b", (0, 1, None)),
        a_release("a", (0, 9, None)),
        a_release("a", (1, 1, None)),
        a_release("a", (0, 1, None), incarnation=MINE),
    ],
    ids=["another member", "another epoch", "another queue", "another life"],
)
def test_an_heir_ignores_any_other_release(release: Release) -> None:
    """Member, incarnation, epoch and queue must all be those of the promise."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes() == baton.hear(release)


def test_an_heir_is_confirmed_by_hold() -> None:
    """An heir that missed the release starts on the controller's word, under the promised epoch."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes(assigned=[grant(token=2)]) == baton.obey(assignment(3, hold=[(0, 2)]), DEADLINE)


def test_an_heir_that_has_started_is_not_started_again() -> None:
    """Orders that still say inherit do not stop a queue that is worked on already."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)
    baton.hear(a_release("a", (0, 1, 42)))

    assert Changes() == baton.obey(assignment(3, inherit=[(0, 2, "a", 1)]), DEADLINE)
    assert (grant(token=2, position=42),) == baton.working


def test_its_own_release_means_nothing_to_a_member() -> None:
    """A member follows the log it writes to, and must not act on its own words."""
    baton = a_baton()
    baton.hear(a_release("m", (0, 1, None), incarnation=MINE))
    baton.obey(assignment(2, inherit=[(0, 2, "m", 1)]), DEADLINE)

    assert () == baton.working


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


def test_a_promise_no_longer_named_is_forgotten() -> None:
    """The release that comes later starts nobody."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes() == baton.obey(assignment(3), DEADLINE)
    assert Changes() == baton.hear(a_release("a", (0, 1, None)))


def test_another_epoch_replaces_the_grant() -> None:
    """A grant that the controller no longer knows is dropped before the new one is begun."""
    changes = holding().obey(assignment(5, hold=[(0, 5)]), DEADLINE)

    assert Changes(lost=[grant()], assigned=[grant(token=5)]) == changes


def test_giving_another_epoch_drops_the_old_grant_and_releases_the_new() -> None:
    """Orders may be skipped: the grant to be given need not be the one worked on."""
    changes = holding().obey(assignment(5, give=[(0, 5)]), DEADLINE)

    assert Changes(lost=[grant()], released=[ReleaseRef(*queue(), 5, None)]) == changes


def test_inheriting_drops_an_older_grant() -> None:
    """Who is to inherit a queue cannot be its owner."""
    baton = holding()

    assert Changes(lost=[grant()]) == baton.obey(assignment(5, inherit=[(0, 5, "a", 3)]), DEADLINE)
    assert () == baton.owned


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
    """What is worked on is revoked, what is only promised is released."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1)], inherit=[(1, 2, "a", 1)]), DEADLINE)

    changes = baton.revoke_all(DEADLINE)

    assert Changes(revoked=[grant()], released=[ReleaseRef(*queue(1), 2, None)]) == changes


def test_lose_all_drops_everything() -> None:
    """What is worked on and what is being finished is lost; promises are forgotten."""
    baton = a_baton()
    baton.obey(assignment(2, hold=[(0, 1), (1, 1)], inherit=[(2, 2, "a", 1)]), DEADLINE)
    baton.obey(assignment(3, hold=[(0, 1)], give=[(1, 1)], inherit=[(2, 2, "a", 1)]), DEADLINE)

    assert Changes(lost=[grant(), grant(1)]) == baton.lose_all()
    assert baton.idle


def test_recall_forgets_the_oldest() -> None:
    """Memory is bounded; what is forgotten is only slower."""
    recall = Recall(capacity=2)
    recall.hear(a_release("a", (0, 1, None), (1, 1, None), (2, 1, None)))

    heard = [number for number in range(3) if recall.heard(queue(number), ("a", OTHERS, 1))]
    assert [1, 2] == heard
