"""The end of a session: leaving with heirs, without, and not in time."""

import pytest

from tests.builders.sessions import (
    REVOCATION_MS,
    a_release,
    a_session,
    acknowledge,
    assignment,
    joined,
    marks,
    only,
    sent,
)
from tests.unit.sdk.passage import GRANT, run_until
from trimtab.protocol import Drain, Leave, Release
from trimtab.session import (
    Assigned,
    Ended,
    Ending,
    LossReason,
    Lost,
    MemberSession,
    Revoked,
    Send,
)
from trimtab.session.fencing import within
from trimtab.session.leaving import FAREWELL_MS


def test_leaving_works_on_until_heirs_have_taken_over() -> None:
    """Drain; give as told; leave when nothing is left and everything has arrived."""
    session = joined((0, 1))

    (drain, *rest) = session.stop(0, timeout_ms=30_000)
    assert (1, []) == (len(sent(Drain, [drain])), rest)
    assert (GRANT,) == session.working

    acknowledge(session, [drain], 0)
    acknowledge(session, session.receive(assignment(2, give=[(0, 1)]), 0), 0)
    actions = session.finish({GRANT: 42}, 0)
    assert ([], "draining") == (sent(Leave, actions), session.phase)

    actions = acknowledge(session, actions, 0)
    assert 1 == len(sent(Leave, actions))
    assert [Ended(Ending.LEFT)] == acknowledge(session, actions, 0)


@pytest.mark.parametrize("session", [a_session(), joined()], ids=["unanswered", "idle"])
def test_leaving_with_nothing_takes_one_record(session: MemberSession) -> None:
    """There is nobody to wait for."""
    actions = session.stop(0, timeout_ms=30_000)

    assert (1, []) == (len(sent(Leave, actions)), sent(Drain, actions))
    assert [Ended(Ending.LEFT)] == acknowledge(session, actions, 0)


def test_leaving_without_heirs_lets_go_when_the_time_is_up() -> None:
    """The controller is away: the queues are revoked, released and left."""
    session = joined((0, 1))
    acknowledge(session, session.stop(0, timeout_ms=1_000), 0)

    actions = run_until(session, 1_000)
    assert [Revoked((GRANT,))] == only(Revoked, actions)

    actions = acknowledge(session, session.finish({GRANT: 42}, 1_000), 1_000)
    assert [Ended(Ending.LEFT)] == acknowledge(session, actions, 1_000)


def test_whoever_is_told_again_to_leave_may_be_given_less_time() -> None:
    """And never more: something has gone wrong while it waited for its heirs."""
    session = joined((0, 1))
    acknowledge(session, session.stop(0, timeout_ms=30_000), 0)
    session.stop(10, timeout_ms=5)
    session.stop(10, timeout_ms=60_000)

    assert [] == only(Revoked, session.tick(14))
    assert [Revoked((GRANT,))] == only(Revoked, session.tick(15))


def test_a_queue_is_owned_until_it_is_released() -> None:
    """Also while the application finishes with it: its last commit is one of an owner."""
    session = joined((0, 1))
    held = session.owns(GRANT)
    session.receive(assignment(2, give=[(0, 1)]), 0)
    giving = session.owns(GRANT)
    session.finish({GRANT: 42}, 0)

    assert (True, True, False) == (held, giving, session.owns(GRANT))
    assert not joined((0, 2)).owns(GRANT)


def test_leaving_does_not_wait_for_ever_for_the_application() -> None:
    """What is not finished in the time of a revocation is lost; silence tells the controller."""
    session = joined((0, 1))
    acknowledge(session, session.stop(0, timeout_ms=1_000), 0)

    actions = run_until(session, 1_000 + within(REVOCATION_MS))

    assert [] == sent(Leave, actions)
    assert Ended(Ending.ABANDONED) == actions[-1]


def test_leaving_does_not_wait_for_ever_for_kafka() -> None:
    """With nothing to work on, a leave that does not arrive costs two seconds."""
    session = joined()
    session.stop(0, timeout_ms=1_000)

    actions = run_until(session, 1_000 + FAREWELL_MS, deaf=True)

    assert [Ended(Ending.ABANDONED)] == only(Ended, actions)


def test_a_leave_that_fails_ends_the_session_too() -> None:
    """There is nothing left to do about it."""
    session = joined()
    _, leave = only(Send, session.stop(0, timeout_ms=1_000))

    assert [Ended(Ending.ABANDONED)] == session.failed(leave.ticket, 0)


def test_whoever_has_said_goodbye_takes_nothing_any_more() -> None:
    """A grant that crosses the leave is not worked on: the controller gives it to another."""
    session = joined()
    last, leave = session.stop(0, timeout_ms=30_000)
    assert [True] == [it.gone for it in marks([last])]
    assert 1 == len(sent(Leave, [leave]))

    assert [] == session.receive(assignment(2, hold=[(0, 2)]), 0)
    assert () == session.working
    assert [Ended(Ending.LEFT)] == acknowledge(session, [leave], 0)


def test_an_heir_that_leaves_forgets_and_says_nothing() -> None:
    """A promise binds nobody: it does not wait, and begins nothing of what is released then."""
    session = joined()
    session.receive(assignment(2, inherit=[(0, 2, "a", 1)]), 0)
    actions = session.stop(0, timeout_ms=1_000)
    _, leave = actions

    assert 1 == len(sent(Leave, [leave]))
    assert [] == session.hear(a_release("a", (0, 1, 42, 2)), 0)
    assert [Ended(Ending.LEFT)] == acknowledge(session, actions, 0)


def test_a_member_that_is_forgotten_while_leaving_is_done() -> None:
    """There is no point in joining again."""
    session = joined((0, 1))
    session.stop(0, timeout_ms=30_000)

    actions = session.receive(None, 0)

    assert [Lost((GRANT,), LossReason.UNKNOWN), Ended(Ending.ABANDONED)] == actions


def test_leaving_for_a_while_lets_go_at_once_and_releases_to_nobody() -> None:
    """Nobody is to take over, also who was to come next; the leave says that all is to be kept."""
    session = joined((0, 1, 7), (1, 1))
    actions = session.stop(0, timeout_ms=30_000, temporary=True)
    assert ([], [Revoked(session.revoking)]) == (sent(Drain, actions), only(Revoked, actions))
    assert [None, None] == [row.next for row in session.holdings]

    actions += session.finish(dict.fromkeys(session.revoking, 42), 0)
    (release,) = sent(Release, actions)
    assert [(42, None), (42, None)] == [(row.position, row.next) for row in release.queues]
    farewell = acknowledge(session, actions, 0)
    (leave,) = sent(Leave, farewell)
    assert leave.temporary
    assert [Ended(Ending.LEFT)] == acknowledge(session, farewell, 0)


def test_whoever_leaves_for_a_while_takes_nothing_any_more() -> None:
    """Orders that cross are for its next life."""
    session = joined((0, 1))
    session.stop(0, timeout_ms=30_000, temporary=True)

    assert [] == only(Assigned, session.receive(assignment(2, hold=[(0, 1), (1, 2)]), 0))
    assert () == session.working


def test_leaving_for_a_while_does_not_wait_for_ever() -> None:
    """What is not finished in the time of a revocation is lost, and nothing is said of keeping."""
    session = joined((0, 1))
    session.stop(0, timeout_ms=1_000, temporary=True)

    actions = run_until(session, within(REVOCATION_MS))

    assert ([], Ended(Ending.ABANDONED)) == (sent(Leave, actions), actions[-1])


def test_a_member_with_nothing_leaves_for_a_while_too() -> None:
    """Its place is kept."""
    (leave,) = sent(Leave, joined().stop(0, timeout_ms=1_000, temporary=True))

    assert leave.temporary


def test_stopping_twice_is_stopping_once() -> None:
    """The first timeout counts."""
    session = joined((0, 1))
    session.stop(0, timeout_ms=30_000)

    assert [] == session.stop(0, timeout_ms=1)


def test_aborting_says_nothing() -> None:
    """Nobody knows what the application is doing, so the controller must find out by silence."""
    session = joined((0, 1))

    actions = session.abort(0)

    assert [Lost((GRANT,), LossReason.FAILED), Ended(Ending.ABANDONED)] == actions
    assert [] == session.abort(0)


def test_it_never_asks_to_be_woken_in_the_past() -> None:
    """After a tick there is nothing left to do now: a shell that obeys `wake_at` never spins."""
    for session in (a_session(), joined((0, 1)), joined()):
        for now in range(0, 40_000, 500):
            session.tick(now)
            assert session.wake_at > now or session.phase == "ended"
            if now == 20_000:
                session.stop(now, timeout_ms=30_000)
