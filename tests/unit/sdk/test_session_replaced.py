"""A process that was frozen comes back, and another one has its name by now."""

import pytest

from tests.builders.sessions import (
    HEARTBEAT_MS,
    MINE,
    SESSION_MS,
    a_session,
    assignment,
    joined,
    only,
    sent,
)
from tests.unit.sdk.passage import FENCE_MS, GRANT, YOUNGER, run_until
from trimtab.protocol import Join
from trimtab.session import Assigned, Ended, Ending, LossReason, Lost, MemberSession, Send

LATE = 3 * SESSION_MS
BEHIND = "1767222000000-00000009"
"""Another process, by whose clock it started an hour earlier."""
REPLACED = Ended(Ending.REPLACED)


def thawed() -> MemberSession:
    """It knew of epoch 1 and has found out, three sessions later, that it is dead."""
    session = joined((0, 1))
    assert [Lost((GRANT,), LossReason.UNHEARD)] == only(Lost, session.tick(LATE))
    return session


def test_a_younger_life_of_its_name_has_replaced_it() -> None:
    """Also if it has asked to join again meanwhile."""
    session = thawed()

    assert [REPLACED] == session.receive(assignment(2, hold=[(0, 2)], incarnation=YOUNGER), LATE)
    assert [] == session.tick(10 * LATE)


def test_it_is_found_out_by_the_very_record() -> None:
    """Time comes first, and then what was in the inbox: it starts nothing and gives up."""
    session = joined((0, 1))
    actions = session.receive(assignment(2, hold=[(0, 2)], incarnation=YOUNGER), LATE)

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
    joins = sent(Join, [*session.tick(0), *session.tick(LATE)])
    session.receive(assignment(7, incarnation=session.incarnation), LATE)
    joins += sent(Join, [*session.tick(2 * LATE), *session.tick(3 * LATE)])

    assert [None, 0, 7, 7] == [join.last_epoch for join in joins]


@pytest.mark.parametrize("life", [BEHIND, MINE])
def test_an_older_life_ends_nobody(life: str) -> None:
    """Its own, or one that is older by its clock: were both to give up, nobody would be left."""
    session = thawed()

    assert [] == session.receive(assignment(2, hold=[(0, 2)], incarnation=life), LATE)
    assert "joining" == session.phase


def test_without_a_successor_it_is_back_by_itself() -> None:
    """Kafka was away, and nobody has come in its place."""
    session = joined((0, 1))
    (join,) = sent(Join, run_until(session, FENCE_MS, deaf=True))

    actions = session.receive(assignment(2, hold=[(0, 2)], incarnation=join.incarnation), FENCE_MS)
    assert [2] == [grant.token for each in only(Assigned, actions) for grant in each.grants]


def test_late_news_of_an_earlier_life_says_nothing_of_this_one() -> None:
    """No ticket is used twice: a beat of its last life that arrives now is no proof of this one."""
    session = joined((0, 1))
    old = only(Send, [*session.tick(HEARTBEAT_MS), *session.tick(2 * HEARTBEAT_MS)])
    begun = 2 * HEARTBEAT_MS + 1
    new = only(Send, session.receive(None, begun))
    while session.wake_at < begun + FENCE_MS:
        now = session.wake_at
        new += only(Send, session.tick(now))
        session.caught_up(now, now)
        for action in old:
            session.acknowledged(action.ticket, now)

    assert {action.ticket for action in old}.isdisjoint(action.ticket for action in new)
    life = session.incarnation
    session.tick(begun + FENCE_MS)
    assert session.incarnation > life, "it has not been heard"
