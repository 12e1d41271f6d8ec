"""The bench of hand-overs measures what it says."""

import pytest

from bench.departures.turns import First, Turn
from bench.handover.cases import Case
from bench.handover.measures import S, cost
from bench.handover.report import headline, table
from bench.handover.sides import Side


def begins(at: int, name: str, queue: int) -> Turn:
    """A queue comes to a member."""
    return Turn(at, begins=True, name=name, queue=queue)


def ends(at: int, name: str, queue: int) -> Turn:
    """It goes."""
    return Turn(at, begins=False, name=name, queue=queue)


BEFORE = [begins(1 * S, "a.0", 0), begins(1 * S, "b.0", 1)]


def test_a_queue_without_an_owner_counts_until_its_next_one_begins() -> None:
    """Half a second of one queue is half a queue-second; the other one is owned all the time."""
    turns = [*BEFORE, ends(11 * S, "a.0", 0), begins(11 * S + S // 2, "b.0", 0)]

    found = cost(turns, [], 10 * S, 2, rested=True)

    assert (1.5, 0.5, 0.0, 1, 1) == found[:5]


def test_a_second_owner_counts_until_the_first_one_ends() -> None:
    """From the beginning of the second to the end of the first."""
    turns = [*BEFORE, begins(11 * S, "b.0", 0), ends(13 * S, "a.0", 0)]

    found = cost(turns, [], 10 * S, 2, rested=True)

    assert (3.0, 0.0, 2.0, 1, 1) == found[:5]


def test_a_queue_that_nobody_takes_counts_to_the_last_turn() -> None:
    """What is never owned again is no smaller a loss than what is."""
    turns = [*BEFORE, ends(11 * S, "a.0", 0), ends(14 * S, "b.0", 1)]

    found = cost(turns, [], 10 * S, 2, rested=False)

    assert (float("inf"), 3.0) == found[:2]


def test_the_next_life_of_a_place_is_a_change_and_not_elsewhere() -> None:
    """A restart that moves nothing to third parties shows it."""
    turns = [*BEFORE, ends(11 * S, "a.0", 0), begins(11 * S, "a.1", 0)]

    assert (1, 0) == cost(turns, [], 10 * S, 2, rested=True)[3:5]


@pytest.mark.parametrize(
    ("sent", "waited_ms"),
    [(9 * S, 1_500.0), (11 * S, 1_500.0), (12 * S, 500.0)],
    ids=["written long before", "written when it was free", "written later"],
)
def test_a_first_message_counts_from_when_queue_and_message_were_there(
    sent: int, waited_ms: float
) -> None:
    """What nobody had written yet, nobody could have."""
    turns = [*BEFORE, ends(11 * S, "a.0", 0), begins(11 * S + 1, "b.0", 0)]
    firsts = [First(12 * S + S // 2, "b.0", 0, sent), First(2 * S, "b.0", 1, 1)]

    assert (waited_ms,) == cost(turns, firsts, 10 * S, 2, rested=True).firsts_ms


def test_one_that_never_came_to_rest_is_the_worst_of_all() -> None:
    """Neither left out nor averaged away; and queues without a first message are counted."""
    turns = [*BEFORE, ends(11 * S, "a.0", 0), begins(12 * S, "b.0", 0)]
    rested = cost(turns, [], 10 * S, 2, rested=True)
    found = {(Side.FAST, 4, Case.JOIN): [rested, rested, rested._replace(stable_s=float("inf"))]}
    line, figures = table(found).splitlines()[1], headline(found)

    assert "2.0 .. never" in line
    assert "0 of 3" in line
    assert 1 == figures["kip_848_fast_4_join_never_stable"]
    assert "kip_848_fast_4_join_stable_max_s" not in figures


def test_the_table_has_what_was_run_and_nothing_else() -> None:
    """The sides of a case stand below each other; what never came to rest says so."""
    turns = [*BEFORE, ends(11 * S, "a.0", 0)]
    found = {
        (Side.TRIMTAB, 4, Case.JOIN): [cost(BEFORE, [], 0, 2, rested=True)],
        (Side.FAST, 4, Case.JOIN): [cost(turns, [], 10 * S, 2, rested=False)],
    }

    lines = table(found).splitlines()

    assert ["trimtab", "kip-848-fast"] == [it.split()[2] for it in lines[1:]]
    assert "never" in lines[2]
    assert 1 == headline(found)["kip_848_fast_4_join_never_stable"]
