"""The member's side of the baton: to wait, and to begin on the release that names us."""

from itertools import product
from typing import Literal

import pytest

from tests.builders.sessions import MINE, a_release, assignment, queue
from tests.unit.sdk.batons import DEADLINE, a_baton, grant, holding, mine, waiting
from trimtab.protocol import Assignment, HolderRef, Release
from trimtab.session.baton import Changes


def test_an_heir_waits_for_the_release() -> None:
    """An inheritance alone starts nothing."""
    baton = a_baton()

    assert Changes() == baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)
    assert () == baton.owned


def test_an_heir_starts_on_the_release_where_the_owner_stopped() -> None:
    """The exact release starts it, at the position in the release."""
    changes = waiting().hear(a_release("a", (0, 1, 42, 2)))

    assert Changes(assigned=[grant(token=2, position=42)]) == changes


def test_an_heir_starts_on_a_release_heard_before() -> None:
    """The release may overtake the assignment, since they travel by different topics."""
    baton = a_baton()
    baton.hear(a_release("a", (0, 1, 42, 2)))

    changes = baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes(assigned=[grant(token=2, position=42)]) == changes


@pytest.mark.parametrize(
    "release",
    [
        a_release("b", (0, 1, None, 2)),
        a_release("a", (0, 9, None, 2)),
        a_release("a", (1, 1, None, 2)),
        a_release("a", (0, 1, None, 2), incarnation=MINE),
        a_release("a", (0, 1, None, 3)),
        a_release("a", (0, 1, None, None)),
    ],
    ids=["another member", "epoch", "queue", "life", "next", "nobody next"],
)
@pytest.mark.parametrize("early", [False, True])
def test_an_heir_ignores_any_other_release(release: Release, *, early: bool) -> None:
    """Member, incarnation, epoch, queue and what comes next must all be those of the promise."""
    baton = a_baton() if early else waiting()

    assert Changes() == baton.hear(release)
    if early:
        assert Changes() == baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)


@pytest.mark.parametrize("by", [None, "controller", "guard"])
def test_anybody_may_release_in_the_name_of_the_owner(
    by: Literal["controller", "guard"] | None,
) -> None:
    """Whoever knows that it has stopped."""
    release = a_release("a", (0, 1, None, 2)).model_copy(update={"by": by})

    assert Changes(assigned=[grant(token=2)]) == waiting().hear(release)


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize(("first", "second", "begun"), [(3, 2, []), (2, 3, [2]), (None, 2, [])])
def test_the_first_release_of_a_grant_counts(
    first: int | None, second: int, begun: list[int], *, early: bool
) -> None:
    """Later ones change nothing, wherever they say to go on, and whatever comes next in them."""
    baton, changes = a_baton() if early else waiting(), []
    changes.append(baton.hear(a_release("a", (0, 1, 42, first))))
    changes.append(baton.hear(a_release("a", (0, 1, 99, second))))
    changes.append(baton.obey(assignment(3, inherit=[(0, 2, "a", 1)]), DEADLINE))

    assigned = [it for each in changes for it in each.assigned]
    assert [grant(token=token, position=42) for token in begun] == assigned
    assert [] == [it for each in changes for it in each.lost]


def test_an_heir_that_was_not_named_is_confirmed_by_hold() -> None:
    """Who was named has gone since, and the grant comes by the controller's word."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, None, 3)))

    assert Changes(assigned=[grant(token=4)]) == baton.obey(assignment(4, hold=[(0, 4)]), DEADLINE)


def test_an_heir_may_be_promised_another_source() -> None:
    """Its source was released to another: it waits for that one now, under a later epoch."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, None, 3)))
    baton.obey(assignment(4, inherit=[(0, 4, "b", 3)]), DEADLINE)

    assert Changes() == baton.hear(a_release("a", (0, 1, None, 4)))
    assert [grant(token=4)] == baton.hear(a_release("b", (0, 3, None, 4))).assigned


def test_an_heir_that_has_begun_knows_of_nobody_next() -> None:
    """Until the controller says so."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, None, 2)))
    before = baton.holdings
    baton.obey(assignment(3, hold=[(0, 2, 3)]), DEADLINE)

    assert (HolderRef(*queue(), 2, None),) == before
    assert (HolderRef(*queue(), 2, 3),) == baton.holdings


def test_an_heir_is_confirmed_by_hold() -> None:
    """An heir that missed the release starts on the controller's word, under the promised epoch."""
    baton = waiting()

    assert Changes(assigned=[grant(token=2)]) == baton.obey(assignment(3, hold=[(0, 2)]), DEADLINE)


def test_an_heir_that_has_started_is_not_started_again() -> None:
    """Orders that still say inherit do not stop a queue that is worked on already."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, 42, 2)))

    assert Changes() == baton.obey(assignment(3, inherit=[(0, 2, "a", 1)]), DEADLINE)
    assert (grant(token=2, position=42),) == baton.working


@pytest.mark.parametrize("early", [False, True])
def test_an_heir_whose_own_grant_was_released_never_starts(*, early: bool) -> None:
    """It was fenced before it could begin: the queue has gone on to another."""
    baton = a_baton() if early else waiting()
    baton.hear(mine((0, 2, None, 3)))
    baton.obey(assignment(3, inherit=[(0, 2, "a", 1)]), DEADLINE)

    assert Changes() == baton.hear(a_release("a", (0, 1, 42, 2)))
    assert () == baton.working


def test_a_promise_no_longer_named_is_forgotten() -> None:
    """The release that comes later starts nobody."""
    baton = waiting()

    assert Changes() == baton.obey(assignment(3), DEADLINE)
    assert Changes() == baton.hear(a_release("a", (0, 1, None, 2)))


def test_an_heir_that_forgot_may_still_be_the_one_named() -> None:
    """Its predecessor was told otherwise: then the controller grants what the release says."""
    baton = waiting()
    baton.obey(assignment(3), DEADLINE)
    baton.hear(a_release("a", (0, 1, None, 2)))

    assert Changes(assigned=[grant(token=2)]) == baton.obey(assignment(4, hold=[(0, 2)]), DEADLINE)


OLDER_RECORDS = [assignment(3), assignment(3, inherit=[(0, 3, "a", 1)])]
"""What a controller says that has not read the release: nothing, or to wait for it."""


@pytest.mark.parametrize("record", OLDER_RECORDS, ids=["nothing", "another promise"])
def test_what_a_release_has_begun_goes_on_though_the_next_record_knows_nothing_of_it(
    record: Assignment,
) -> None:
    """The controller had not read that release: it reads it, and says hold."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, 42, 2)))

    assert Changes() == baton.obey(record, DEADLINE)
    assert (grant(token=2, position=42),) == baton.working
    assert Changes() == baton.obey(assignment(4, hold=[(0, 2)]), DEADLINE)


@pytest.mark.parametrize("records", [*product(OLDER_RECORDS, repeat=2)])
def test_what_two_records_do_not_know_is_lost(records: tuple[Assignment, Assignment]) -> None:
    """After the first one the member has said what it owns: the second one is the answer."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, 42, 2)))
    first, second = records

    baton.obey(first, DEADLINE)

    assert [grant(token=2, position=42)] == baton.obey(second, DEADLINE).lost


def test_what_a_record_has_confirmed_is_lost_with_the_first_that_does_not_name_it() -> None:
    """Then the controller knew of it."""
    baton = waiting()
    baton.hear(a_release("a", (0, 1, 42, 2)))
    baton.obey(assignment(3, hold=[(0, 2)]), DEADLINE)

    assert [grant(token=2, position=42)] == baton.obey(assignment(4), DEADLINE).lost


def test_inheriting_drops_an_older_grant() -> None:
    """Who is to inherit a queue cannot be its owner."""
    baton = holding()

    assert Changes(lost=[grant()]) == baton.obey(assignment(5, inherit=[(0, 5, "a", 3)]), DEADLINE)
    assert () == baton.owned


def test_to_wait_is_to_be_idle() -> None:
    """Who is only promised a queue may go without a word of it."""
    assert (True, False) == (waiting().idle, holding().idle)
