"""A process that was frozen comes back, and another one has its name by now."""

import pytest

from tests.unit.sdk.builders import (
    MINE,
    SESSION_MS,
    a_session,
    joined,
    only,
    orders,
    sent,
)
from tests.unit.sdk.passage import FENCE_MS, GRANT, YOUNGER, run_until
from trimtab.protocol import Assignment, Join
from trimtab.session import Assigned, Ended, Ending, LossReason, Lost, MemberSession

LATE = 3 * SESSION_MS
BEHIND = "1767222000000-00000009"
"""Another process, that started later by a clock that is an hour behind."""
REPLACED = Ended(Ending.REPLACED)


def thawed() -> MemberSession:
    """It knew of epoch 1 and has found out, three sessions later, that it is dead."""
    session = joined((0, 1))
    assert [Lost((GRANT,), LossReason.UNHEARD)] == only(Lost, session.tick(LATE))
    return session


@pytest.mark.parametrize("successor", [YOUNGER, BEHIND])
def test_another_life_of_its_name_has_replaced_it(successor: str) -> None:
    """Whatever the clocks say: the other one came after what it was last told."""
    session = thawed()

    assert [REPLACED] == session.receive(orders(2, hold=[(0, 2)], incarnation=successor), LATE)
    assert [] == session.tick(10 * LATE)


def test_it_is_found_out_by_the_very_record() -> None:
    """Time comes first, and then what was in the inbox: it starts nothing and gives up."""
    session = joined((0, 1))
    actions = session.receive(orders(2, hold=[(0, 2)], incarnation=BEHIND), LATE)

    assert [REPLACED] == only(Ended, actions)
    assert [] == only(Assigned, actions)


def test_all_lives_of_a_process_have_its_start() -> None:
    """So whoever started later is the younger one, however often this one comes back (C3)."""
    session = joined((0, 1))
    lives = [session.incarnation]
    for time in range(1, 6):
        session.tick(time * LATE)
        lives.append(session.incarnation)

    assert sorted(set(lives)) == lives
    assert [MINE[:13]] * 6 == [life[:13] for life in lives]
    assert lives[-1] < YOUNGER


def test_a_join_says_what_the_process_last_knew() -> None:
    """So that the controller can tell who came after it, in whatever order it reads."""
    session = a_session()
    (first,) = sent(Join, session.tick(0))
    session.receive(orders(7), 0)
    (second,) = sent(Join, session.tick(LATE))
    (third,) = sent(Join, session.tick(2 * LATE))

    assert [None, 7, 7] == [join.last_epoch for join in (first, second, third)]


OTHERS = {
    "who had the name before it": orders(1, hold=[(0, 1)], incarnation=BEHIND),
    "its own earlier life": orders(2, hold=[(0, 2)], incarnation=MINE),
}


@pytest.mark.parametrize("record", OTHERS.values(), ids=OTHERS)
def test_what_is_for_others_that_are_gone_is_ignored(record: Assignment) -> None:
    """It waits for its own answer."""
    session = thawed()

    assert [] == session.receive(record, LATE)
    assert "joining" == session.phase


def test_a_predecessor_is_no_successor_of_who_never_was_a_member() -> None:
    """The log's last record of a name is about whoever had it before."""
    session = a_session()
    session.tick(0)

    assert [] == session.receive(orders(9, incarnation=BEHIND), 0)
    session.tick(LATE)
    assert [] == session.receive(orders(9, incarnation=BEHIND), LATE)


def test_without_a_successor_it_is_back_by_itself() -> None:
    """Kafka was away, and nobody has come in its place."""
    session = joined((0, 1))
    (join,) = sent(Join, run_until(session, FENCE_MS, deaf=True))

    actions = session.receive(orders(2, hold=[(0, 2)], incarnation=join.incarnation), FENCE_MS)
    assert [2] == [grant.token for each in only(Assigned, actions) for grant in each.grants]


def test_who_was_answered_again_is_replaced_by_the_younger_only() -> None:
    """Its rejoin was taken: that of the other one is older news."""
    session = thawed()
    session.receive(orders(3, hold=[(0, 3)], incarnation=session.incarnation), LATE)

    assert [] == session.receive(orders(4, incarnation=BEHIND), LATE)
    assert [REPLACED] == only(Ended, session.receive(orders(5, incarnation=YOUNGER), LATE))
