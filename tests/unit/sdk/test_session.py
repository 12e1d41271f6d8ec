"""The life of a session: joining, beating, being fenced, leaving."""

from itertools import pairwise

import pytest

from tests.unit.sdk.builders import (
    HEARTBEAT_MS,
    MINE,
    REVOCATION_MS,
    SESSION_MS,
    a_release,
    a_session,
    acknowledge,
    joined,
    only,
    orders,
    queue,
    sent,
)
from trimtab.protocol import Beat, Drain, GrantRef, Join, Leave, Release
from trimtab.session import (
    Action,
    Assigned,
    Ended,
    Ending,
    FindEnd,
    Grant,
    LossReason,
    Lost,
    MemberSession,
    Revoked,
    Send,
)
from trimtab.session.fencing import within
from trimtab.session.session import (
    BEAT_SPACING_MS,
    FAREWELL_MS,
    FIRST_JOIN_RETRY_MS,
    LAST_JOIN_RETRY_MS,
)

YOUNGER = "1767225600001-00000000"
FENCE_MS = within(SESSION_MS)
GRANT = Grant(queue(), 1)


def run_until(session: MemberSession, end: int, *, deaf: bool = False) -> list[Action]:
    """Let time pass, with Kafka answering everything unless deaf; return the actions."""
    actions: list[Action] = []
    while session.phase != "ended" and session.wake_at <= end:
        now = session.wake_at
        due = session.tick(now)
        while due:
            actions += due
            looked = [] if deaf or not only(FindEnd, due) else session.caught_up(now, now)
            due = looked + ([] if deaf else acknowledge(session, due, now))
    return actions


def test_it_joins_at_once() -> None:
    """The first thing a session does is to ask for a share."""
    (join,) = sent(Join, a_session().tick(0))

    assert ("m", MINE, 1, ("orders",)) == (
        join.member,
        join.incarnation,
        join.sequence,
        join.topics,
    )


def test_it_asks_again_until_answered_ever_more_rarely() -> None:
    """Unanswered joins back off, up to a limit."""
    session = a_session()
    asked: list[int] = []
    while len(asked) < 7:
        now = session.wake_at
        if sent(Join, session.tick(now)):
            asked.append(now)

    gaps = [later - earlier for earlier, later in pairwise(asked)]
    first, last = FIRST_JOIN_RETRY_MS, LAST_JOIN_RETRY_MS
    assert [first, 2 * first, 4 * first, last, last, last] == gaps


def test_an_answer_ends_the_asking() -> None:
    """Orders for this incarnation are the answer."""
    session = joined()

    assert "joined" == session.phase
    assert [] == sent(Join, run_until(session, 5 * SESSION_MS))


def test_sequences_count_every_record_of_a_life() -> None:
    """One counter over all topics, from one on, without gaps."""
    session = joined((0, 1))
    actions = [*session.receive(orders(2, give=[(0, 1)]), 0), *session.finish({GRANT: None}, 0)]
    actions += run_until(session, 3 * HEARTBEAT_MS)

    sequences = [record.sequence for record in sent(Beat, actions) + sent(Release, actions)]
    assert list(range(min(sequences), max(sequences) + 1)) == sorted(sequences)


def test_it_beats_as_it_is_told() -> None:
    """The interval of the orders counts, not the wish."""
    session = joined()

    assert 3 == len(sent(Beat, run_until(session, 3 * HEARTBEAT_MS)))


def test_it_beats_while_it_waits_for_an_answer() -> None:
    """The controller may have admitted it already, and counts its silence."""
    session = a_session()

    assert [0] == [beat.epoch for beat in sent(Beat, run_until(session, HEARTBEAT_MS + 1_000))]


def test_a_change_of_ownership_is_told_at_once() -> None:
    """The controller's books follow without waiting for the next routine beat."""
    session = a_session()
    session.tick(0)

    (beat,) = sent(Beat, session.receive(orders(1, hold=[(0, 1)]), 0))
    assert (1, (GrantRef(*queue(), 1),)) == (beat.epoch, beat.owned)


def test_changes_in_quick_succession_share_a_beat() -> None:
    """A storm of changes costs a beat per tenth of a second, not one each."""
    session = joined()
    first = session.receive(orders(2, hold=[(0, 2)]), 1_000)
    second = session.receive(orders(3, hold=[(0, 2), (1, 3)]), 1_001)

    assert (1, 0) == (len(sent(Beat, first)), len(sent(Beat, second)))
    (beat,) = sent(Beat, session.tick(1_000 + BEAT_SPACING_MS))
    assert 2 == len(beat.owned or ())


def test_a_beat_says_what_is_owned_only_when_that_is_news() -> None:
    """Once Kafka has the statement, null says: as in my last beat."""
    session = joined((0, 1))

    assert [None, None] == [beat.owned for beat in sent(Beat, run_until(session, 2 * HEARTBEAT_MS))]


def test_a_statement_is_repeated_until_kafka_has_it() -> None:
    """Null would refer to a beat that may have been lost."""
    session = a_session()
    acknowledge(session, session.tick(0), 0)
    session.receive(orders(1, hold=[(0, 1)]), 0)  # its beat is never acknowledged

    (beat,) = sent(Beat, session.tick(HEARTBEAT_MS))
    assert (GrantRef(*queue(), 1),) == beat.owned


def test_a_statement_that_came_and_went_is_made_again() -> None:
    """A, then B unacknowledged, then A again: null would mean B."""
    session = joined((0, 1))
    session.receive(orders(2, hold=[(0, 1), (1, 2)]), 1_000)
    session.receive(orders(3, hold=[(0, 1)]), 2_000)

    (beat,) = sent(Beat, session.tick(2_000 + HEARTBEAT_MS))
    assert (GrantRef(*queue(), 1),) == beat.owned


def test_what_is_being_revoked_is_still_owned() -> None:
    """A queue left out of a beat counts as released, so it stays until the application is done."""
    session = joined((0, 1))
    acknowledge(session, session.receive(orders(2, give=[(0, 1)]), 1_000), 1_000)

    assert [None] == [beat.owned for beat in sent(Beat, session.tick(HEARTBEAT_MS))]


def test_orders_are_carried_out() -> None:
    """Hold assigns, give revokes, finishing releases with the position."""
    session = joined()
    assigned = session.receive(orders(2, hold=[(0, 2)]), 0)
    revoked = session.receive(orders(3, give=[(0, 2)]), 0)
    grant = Grant(queue(), 2)
    (release,) = sent(Release, session.finish({grant: 42}, 0))

    assert [Assigned((grant,))] == only(Assigned, assigned)
    assert [Revoked((grant,))] == only(Revoked, revoked)
    assert [(*queue(), 2, 42)] == list(release.queues)


@pytest.mark.parametrize("epoch", [0, 1])
def test_old_orders_are_ignored(epoch: int) -> None:
    """An epoch that was seen, or an earlier one, is a replay."""
    session = joined((0, 1))

    assert [] == session.receive(orders(epoch), 0)
    assert (GRANT,) == session.working


def test_orders_for_an_earlier_life_are_ignored() -> None:
    """They were meant for a process that is no more."""
    session = joined((0, 1))

    assert [] == session.receive(orders(9, incarnation="1767225599999-ffffffff"), 0)


def test_orders_for_a_younger_life_end_the_session() -> None:
    """A younger process has the name: everything is lost, and coming back would start a fight."""
    session = joined((0, 1))

    actions = session.receive(orders(9, incarnation=YOUNGER), 0)

    assert [Lost((GRANT,), LossReason.REPLACED), Ended(Ending.REPLACED)] == actions
    assert [] == session.tick(10 * SESSION_MS)


def test_a_tombstone_means_to_join_anew() -> None:
    """The controller does not know the member: all is lost, and a younger life asks to join."""
    session = joined((0, 1))

    actions = session.receive(None, 1_000)

    (join,) = sent(Join, actions)
    assert [Lost((GRANT,), LossReason.UNKNOWN)] == only(Lost, actions)
    assert (True, 1) == (join.incarnation > MINE, join.sequence)
    assert "joining" == session.phase


def test_a_tombstone_before_the_answer_is_about_an_earlier_life() -> None:
    """Who has just asked is not to ask again."""
    session = a_session()
    session.tick(0)

    assert [] == session.receive(None, 0)
    assert MINE == session.incarnation


def test_nothing_of_an_earlier_life_counts_in_the_next() -> None:
    """Epochs are counted per life: a group may have been forgotten and begun anew."""
    session = joined((0, 1))
    session.receive(None, 1_000)

    actions = session.receive(orders(1, hold=[(0, 1)], incarnation=session.incarnation), 1_000)

    assert [Assigned((GRANT,))] == only(Assigned, actions)


def test_it_fences_itself_when_it_is_not_heard() -> None:
    """A margin before the controller may take it for dead, everything is lost."""
    session = joined((0, 1))

    actions = run_until(session, FENCE_MS - 1, deaf=True)
    assert [] == only(Lost, actions)

    actions = session.tick(FENCE_MS)
    assert [Lost((GRANT,), LossReason.UNHEARD)] == only(Lost, actions)
    assert 1 == len(sent(Join, actions))


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

    assert [] != only(Lost, session.tick(FENCE_MS))


def test_it_fences_itself_when_it_cannot_read() -> None:
    """Who is heard but cannot hear would never learn that it must give a queue up."""
    session = joined((0, 1))
    now = 0
    while now < FENCE_MS - HEARTBEAT_MS:
        now = session.wake_at
        acknowledge(session, session.tick(now), now)

    assert [] != only(Lost, session.tick(FENCE_MS))


def test_each_beat_asks_for_the_end_of_the_log() -> None:
    """Knowing that one is at the end takes asking."""
    session = joined()

    assert 3 == len(only(FindEnd, run_until(session, 3 * HEARTBEAT_MS)))


def test_a_suspended_process_finds_out_before_it_acts() -> None:
    """After a long sleep a release in the inbox starts nobody: others were told meanwhile."""
    session = joined()
    session.receive(orders(2, inherit=[(0, 2, "a", 1)]), 0)

    actions = session.hear(a_release("a", (0, 1, 42)), 10 * SESSION_MS)

    assert [] == only(Assigned, actions)
    assert session.incarnation > MINE


def test_an_acknowledgement_that_was_late_still_counts() -> None:
    """The proof of life was in the log in time, only the news of it was not."""
    session = joined((0, 1))
    (beat,) = only(Send, session.tick(HEARTBEAT_MS))
    session.caught_up(HEARTBEAT_MS, HEARTBEAT_MS)

    assert [] == only(Lost, session.acknowledged(beat.ticket, FENCE_MS + 1))


def test_a_revocation_that_takes_too_long_loses_everything() -> None:
    """The controller fences a member as a whole, so a margin before that the member does it."""
    session = joined((0, 1), (1, 1))
    acknowledge(session, session.receive(orders(2, hold=[(1, 1)], give=[(0, 1)]), 0), 0)
    actions = run_until(session, within(REVOCATION_MS))

    assert [Lost((GRANT, Grant(queue(1), 1)), LossReason.OVERDUE)] == only(Lost, actions)
    assert (1, []) == (len(sent(Join, actions)), sent(Release, session.finish({GRANT: 42}, 48_000)))


def test_a_release_that_failed_is_sent_again() -> None:
    """The heir waits for it; it goes out with the next beat, under a new number."""
    session = joined((0, 1))
    session.receive(orders(2, give=[(0, 1)]), 0)
    actions = session.finish({GRANT: 42}, 0)
    (first,) = sent(Release, actions)
    for action in only(Send, actions):
        session.failed(action.ticket, 0)

    (again,) = sent(Release, session.tick(HEARTBEAT_MS))
    assert first.queues == again.queues
    assert first.sequence < again.sequence


def test_leaving_works_on_until_heirs_have_taken_over() -> None:
    """Drain; give as told; leave when nothing is left and everything has arrived."""
    session = joined((0, 1))

    (drain, *rest) = session.stop(0, timeout_ms=30_000)
    assert (1, []) == (len(sent(Drain, [drain])), rest)
    assert (GRANT,) == session.working

    acknowledge(session, [drain], 0)
    acknowledge(session, session.receive(orders(2, give=[(0, 1)]), 0), 0)
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
    (leave,) = only(Send, session.stop(0, timeout_ms=1_000))

    assert [Ended(Ending.ABANDONED)] == session.failed(leave.ticket, 0)


def test_an_heir_that_leaves_lets_its_promise_go() -> None:
    """A promise is a possible ownership: it is released before leaving."""
    session = joined()
    session.receive(orders(2, inherit=[(0, 2, "a", 1)]), 0)
    session.stop(0, timeout_ms=1_000)

    releases = sent(Release, run_until(session, 1_000))

    assert [[(*queue(), 2, None)]] == [list(release.queues) for release in releases]


def test_a_member_that_is_forgotten_while_leaving_is_done() -> None:
    """There is no point in joining again."""
    session = joined((0, 1))
    session.stop(0, timeout_ms=30_000)

    actions = session.receive(None, 0)

    assert [Lost((GRANT,), LossReason.UNKNOWN), Ended(Ending.ABANDONED)] == actions


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
