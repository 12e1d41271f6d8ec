"""A session in trouble: not heard, not able to read, not let go in time."""

from collections.abc import Callable
from itertools import chain

import pytest

from tests.builders.sessions import (
    HEARTBEAT_MS,
    MINE,
    REVOCATION_MS,
    SESSION_MS,
    a_release,
    a_session,
    acknowledge,
    assignment,
    joined,
    only,
    queue,
    sent,
)
from tests.unit.sdk.passage import FENCE_MS, GRANT, run_until
from trimtab.protocol import MEMBERS, Join, Release
from trimtab.session import (
    Action,
    Assigned,
    FindEnd,
    Grant,
    LossReason,
    Lost,
    MemberSession,
    Send,
    Unheard,
)
from trimtab.session.asking import FIRST_JOIN_RETRY_MS
from trimtab.session.fencing import within


def unanswered(session: MemberSession, end: int) -> list[Action]:
    """Time passes, and Kafka says nothing at all."""
    return run_until(session, end, deaf=True)


def refused(session: MemberSession, end: int) -> list[Action]:
    """Time passes; everything is read, and every write fails."""
    actions: list[Action] = []
    while session.wake_at <= end:
        now = session.wake_at
        due = session.tick(now)
        while due:
            actions += due
            looked = session.caught_up(now, now) if only(FindEnd, due) else []
            failed = [session.failed(it.ticket, now) for it in only(Send, due)]
            due = [*looked, *chain.from_iterable(failed)]
    return actions


@pytest.mark.parametrize("passes", [unanswered, refused])
def test_it_fences_itself_when_it_is_not_heard(
    passes: Callable[[MemberSession, int], list[Action]],
) -> None:
    """A margin before the controller may take it for dead, everything is lost."""
    session = joined((0, 1))

    actions = passes(session, FENCE_MS - 1)
    assert [] == only(Lost, actions)
    assert [] != only(Send, actions)

    actions = session.tick(FENCE_MS)
    assert [Lost((GRANT,), LossReason.UNHEARD)] == only(Lost, actions)
    assert 1 == len(sent(Join, actions))


def test_a_new_life_asks_at_once() -> None:
    """Whenever Kafka is back, the join of the life that is lived then has been sent."""
    session = a_session()
    lives = {session.incarnation: 0}
    while len(lives) < 8:
        now = session.wake_at
        actions = session.tick(now)
        if session.incarnation not in lives:
            lives[session.incarnation] = now
            assert [session.incarnation] == [it.incarnation for it in sent(Join, actions)]

    assert [number * FENCE_MS for number in range(8)] == [*lives.values()]


def test_a_join_that_did_not_arrive_is_sent_again_soon() -> None:
    """However long it has been asked for: it was no load to anybody."""
    session, now, tickets = a_session(), 0, list[int]()
    while len(tickets) < 4:
        now = session.wake_at
        actions = session.tick(now)
        acknowledge(session, actions, now)
        session.caught_up(now, now)
        tickets += [it.ticket for it in only(Send, actions) if it.topic == MEMBERS.name]
    session.failed(tickets[-1], now)

    soon = now + FIRST_JOIN_RETRY_MS
    assert [] == sent(Join, run_until(session, soon - 1))
    assert 1 == len(sent(Join, run_until(session, soon)))


def test_it_says_what_failed_and_since_when() -> None:
    """Whether it was not heard or could not read, in each life anew."""
    session = joined((0, 1))
    deaf = run_until(session, 2 * FENCE_MS, deaf=True)
    assert [Unheard(FENCE_MS, FENCE_MS)] * 2 == only(Unheard, deaf)

    session, now = joined((0, 1)), 0
    while now < FENCE_MS - HEARTBEAT_MS:
        now = session.wake_at
        acknowledge(session, session.tick(now), now)
    assert [Unheard(FENCE_MS - now, FENCE_MS)] == only(Unheard, session.tick(FENCE_MS))


def test_silence_counts_from_the_sending_of_the_last_beat_that_arrived() -> None:
    """Not from the acknowledgement: the log may have had it long before."""
    session = joined((0, 1))
    beat = session.tick(HEARTBEAT_MS)
    acknowledge(session, beat, HEARTBEAT_MS + 2_000)
    session.caught_up(HEARTBEAT_MS + 2_000, HEARTBEAT_MS + 2_000)

    assert [] == only(Lost, session.tick(HEARTBEAT_MS + FENCE_MS - 1))
    assert [] != only(Lost, session.tick(HEARTBEAT_MS + FENCE_MS))


def test_a_beat_that_failed_proves_nothing() -> None:
    """Only what is in the log counts."""
    session = joined((0, 1))
    for action in only(Send, session.tick(HEARTBEAT_MS)):
        session.failed(action.ticket, HEARTBEAT_MS)
    session.caught_up(HEARTBEAT_MS, HEARTBEAT_MS)

    assert [] != only(Lost, session.tick(FENCE_MS))


USUAL_MS = SESSION_MS // 3
"""What a member keeps to until it is told otherwise."""


def test_what_failed_is_said_again_soon_however_rarely_it_beats() -> None:
    """An heir waits for the release, and the next beat of this member would be in a minute."""
    session = joined((0, 1), (1, 1))
    rarely = {"heartbeat_interval_ms": 60_000, "session_timeout_ms": 240_000}
    told = assignment(2, hold=[(0, 1)], give=[(1, 1)]).model_copy(update=rarely)
    acknowledge(session, session.receive(told, 0), 0)
    for action in only(Send, session.finish({Grant(queue(1), 1): 7}, 1_000)):
        session.failed(action.ticket, 2_000)

    again = [it for it in sent(Release, run_until(session, 2_000 + USUAL_MS)) if it.queues]
    assert [[(queue(1), 7)]] == [[(it[:3], it.position) for it in rows.queues] for rows in again]


def test_it_fences_itself_when_it_cannot_read() -> None:
    """Who is heard but cannot hear would never learn that it must give a queue up."""
    session = joined((0, 1))
    now = 0
    while now < FENCE_MS - HEARTBEAT_MS:
        now = session.wake_at
        acknowledge(session, session.tick(now), now)

    assert [] != only(Lost, session.tick(FENCE_MS))


def test_reading_counts_from_when_the_end_of_the_log_was_asked_for() -> None:
    """Not from when it was reached: what was written meanwhile may tell it to give a queue up."""
    session = joined((0, 1))
    acknowledge(session, session.tick(HEARTBEAT_MS), HEARTBEAT_MS)
    asked, reached = HEARTBEAT_MS, 2 * HEARTBEAT_MS
    acknowledge(session, session.tick(reached), reached)
    session.caught_up(asked, reached)
    heard = 3 * HEARTBEAT_MS
    acknowledge(session, session.tick(heard), heard)
    acknowledge(session, session.tick(asked + FENCE_MS - 1), asked + FENCE_MS - 1)

    assert "joined" == session.phase
    assert [] != only(Lost, session.tick(asked + FENCE_MS))


def test_each_beat_asks_for_the_end_of_the_log() -> None:
    """Knowing that one is at the end takes asking."""
    session = joined()

    assert 3 == len(only(FindEnd, run_until(session, 3 * HEARTBEAT_MS)))


def test_a_suspended_process_finds_out_before_it_acts() -> None:
    """After a long sleep a release in the inbox starts nobody: others were told meanwhile."""
    session = joined()
    session.receive(assignment(2, inherit=[(0, 2, "a", 1)]), 0)

    actions = session.hear(a_release("a", (0, 1, 42, 2)), 10 * SESSION_MS)

    assert [] == only(Assigned, actions)
    assert session.incarnation > MINE


def test_a_suspended_process_that_asks_what_it_owns_is_told_nothing() -> None:
    """It asks before it commits, and the time is looked at first: what it had is with others."""
    session = joined((0, 1))
    session.tick(FENCE_MS - 1)
    before = session.owns(GRANT)
    session.tick(FENCE_MS)

    assert (True, False) == (before, session.owns(GRANT))


def test_an_acknowledgement_that_was_late_still_counts() -> None:
    """The proof of life was in the log in time, only the news of it was not."""
    session = joined((0, 1))
    (beat,) = only(Send, session.tick(HEARTBEAT_MS))
    session.caught_up(HEARTBEAT_MS, HEARTBEAT_MS)

    assert [] == only(Lost, session.acknowledged(beat.ticket, FENCE_MS + 1))


def test_a_revocation_that_takes_too_long_loses_everything() -> None:
    """The controller fences a member as a whole, so a margin before that the member does it."""
    session = joined((0, 1), (1, 1))
    acknowledge(session, session.receive(assignment(2, hold=[(1, 1)], give=[(0, 1)]), 0), 0)
    told = [session.finish_by_s([GRANT]), session.finish_by_s([Grant(queue(1), 1)])]
    actions = run_until(session, within(REVOCATION_MS))

    assert [within(REVOCATION_MS) / 1_000, None] == told, "who hands over asks by when"
    assert [Lost((GRANT, Grant(queue(1), 1)), LossReason.OVERDUE)] == only(Lost, actions)
    assert (1, []) == (len(sent(Join, actions)), sent(Release, session.finish({GRANT: 42}, 48_000)))


def test_a_release_that_failed_is_sent_again() -> None:
    """The heir waits for it; it goes out with the next beat, under a new number."""
    session = joined((0, 1))
    session.receive(assignment(2, give=[(0, 1)]), 0)
    actions = session.finish({GRANT: 42}, 0)
    (first,) = sent(Release, actions)
    for action in only(Send, actions):
        session.failed(action.ticket, 0)

    (again,) = sent(Release, session.tick(HEARTBEAT_MS))
    assert first.queues == again.queues
    assert first.sequence < again.sequence


@pytest.mark.parametrize("granted", [3 * SESSION_MS, SESSION_MS // 2])
def test_it_obeys_the_session_that_it_is_granted(granted: int) -> None:
    """Not the one that it asked for: the controller counts by what it grants."""
    session = joined((0, 1))
    record = assignment(2, hold=[(0, 1)])
    session.receive(record.model_copy(update={"session_timeout_ms": granted}), 0)

    assert [] == only(Lost, session.tick(within(granted) - 1))
    assert [] != only(Lost, session.tick(within(granted)))
