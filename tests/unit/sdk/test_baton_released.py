"""The member's side of the baton: what was released is over, whoever wrote that."""

import pytest

from tests.builders.sessions import OTHERS, a_release, assignment
from tests.unit.sdk.batons import DEADLINE, a_baton, grant, holding, mine
from trimtab.session.baton import Changes


def test_its_own_release_that_it_reads_is_no_news() -> None:
    """A member follows the log it writes to: what it has released it has stopped."""
    baton = holding()
    baton.obey(assignment(2, give=[(0, 1, 2)]), DEADLINE)
    baton.finish({grant(): 42})
    baton.obey(assignment(3, hold=[(0, 3)]), DEADLINE)

    assert Changes() == baton.hear(mine((0, 1, 42, 2)))
    assert (grant(token=3),) == baton.working


@pytest.mark.parametrize("revoking", [False, True])
@pytest.mark.parametrize("released", [1, 2], ids=["that grant", "a later one"])
def test_what_somebody_else_has_released_is_lost_at_once(released: int, *, revoking: bool) -> None:
    """The one it names may work already; there is nothing to finish or to release any more."""
    baton = holding()
    if revoking:
        baton.obey(assignment(2, give=[(0, 1)]), DEADLINE)

    assert Changes(lost=[grant()]) == baton.hear(mine((0, released, None, 3)))
    assert Changes() == baton.finish({grant(): 42})
    assert Changes() == baton.obey(assignment(3, hold=[(0, released)]), DEADLINE)
    assert Changes() == baton.obey(assignment(4, give=[(0, released)]), DEADLINE)


@pytest.mark.parametrize("epoch", [1, 2])
@pytest.mark.parametrize("verb", ["hold", "give"])
def test_what_was_released_before_it_was_granted_never_starts(verb: str, epoch: int) -> None:
    """Nor does an earlier grant of the queue, and there is nothing more to release."""
    baton = a_baton()
    baton.hear(mine((0, 2, None, 3)))
    hold, give = ([(0, epoch)], []) if verb == "hold" else ([], [(0, epoch)])

    assert Changes() == baton.obey(assignment(2, hold=hold, give=give), DEADLINE)
    assert baton.idle


def test_a_release_of_an_earlier_grant_ends_no_later_one() -> None:
    """Only that epoch is over, and those before it."""
    baton = holding(epoch=3)

    assert Changes() == baton.hear(mine((0, 2, None, 3), (1, 9, None, None)))
    assert (grant(token=3),) == baton.working


def test_a_release_of_an_earlier_life_of_its_name_ends_nothing() -> None:
    """Another life, other grants."""
    baton = holding()

    assert Changes() == baton.hear(a_release("m", (0, 1, None, 2), incarnation=OTHERS))
