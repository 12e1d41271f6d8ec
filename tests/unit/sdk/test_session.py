"""The life of a session: joining, beating, obeying."""

from itertools import pairwise

import pytest

from tests.builders.sessions import (
    HEARTBEAT_MS,
    MINE,
    SESSION_MS,
    a_session,
    acknowledge,
    assignment,
    joined,
    only,
    queue,
    sent,
)
from tests.unit.sdk.passage import GRANT, YOUNGER, run_until
from trimtab.protocol import (
    Beat,
    GrantRef,
    Join,
    Release,
    ReleaseRef,
)
from trimtab.session import (
    Assigned,
    Ended,
    Ending,
    Grant,
    LossReason,
    Lost,
    Revoked,
    Send,
)
from trimtab.session.asking import FIRST_JOIN_RETRY_MS, LAST_JOIN_RETRY_MS
from trimtab.session.beating import BEAT_SPACING_MS

ASKED_AGAIN = assignment(2, hold=[(0, 1)]).model_copy(update={"join_again": True})


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
        actions = session.tick(now)
        acknowledge(session, actions, now)
        session.caught_up(now, now)
        asked += [now for _ in sent(Join, actions)]

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
    actions = [*session.receive(assignment(2, give=[(0, 1)]), 0), *session.finish({GRANT: None}, 0)]
    actions += run_until(session, 3 * HEARTBEAT_MS)

    sequences = [record.sequence for record in sent(Beat, actions) + sent(Release, actions)]
    assert list(range(min(sequences), max(sequences) + 1)) == sorted(sequences)


def test_it_beats_as_it_is_told() -> None:
    """The interval of the assignment counts, not the wish."""
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

    (beat,) = sent(Beat, session.receive(assignment(1, hold=[(0, 1)]), 0))
    assert (1, (GrantRef(*queue(), 1),)) == (beat.epoch, beat.owned)


def test_changes_in_quick_succession_share_a_beat() -> None:
    """A storm of changes costs a beat per tenth of a second, not one each."""
    session = joined()
    first = session.receive(assignment(2, hold=[(0, 2)]), 1_000)
    second = session.receive(assignment(3, hold=[(0, 2), (1, 3)]), 1_001)

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
    session.receive(assignment(1, hold=[(0, 1)]), 0)  # its beat is never acknowledged

    (beat,) = sent(Beat, session.tick(HEARTBEAT_MS))
    assert (GrantRef(*queue(), 1),) == beat.owned


def test_a_statement_that_came_and_went_is_made_again() -> None:
    """A, then B unacknowledged, then A again: null would mean B."""
    session = joined((0, 1))
    session.receive(assignment(2, hold=[(0, 1), (1, 2)]), 1_000)
    session.receive(assignment(3, hold=[(0, 1)]), 2_000)

    (beat,) = sent(Beat, session.tick(2_000 + HEARTBEAT_MS))
    assert (GrantRef(*queue(), 1),) == beat.owned


def test_what_was_never_started_is_told_too_when_it_is_let_go() -> None:
    """No statement ever named it: null would not tell that it is gone, if its release is lost."""
    session = joined((0, 1))
    acknowledge(session, session.tick(1_000 + HEARTBEAT_MS), 1_000 + HEARTBEAT_MS)
    told = session.receive(assignment(3, hold=[(0, 1)], give=[(1, 2)]), 5_000)

    (beat,) = sent(Beat, [*told, *session.tick(5_000 + BEAT_SPACING_MS)])
    assert [(1, 2)] == [
        (row.queue.id, row.epoch) for it in sent(Release, told) for row in it.queues
    ]
    assert (3, (GrantRef(*queue(), 1),)) == (beat.epoch, beat.owned)


def test_what_is_being_revoked_is_still_owned() -> None:
    """A queue left out of a beat counts as released, so it stays until the application is done."""
    session = joined((0, 1))
    acknowledge(session, session.receive(assignment(2, give=[(0, 1)]), 1_000), 1_000)

    assert [None] == [beat.owned for beat in sent(Beat, session.tick(HEARTBEAT_MS))]


def test_assignments_are_carried_out() -> None:
    """Hold assigns, give revokes, finishing releases with the position."""
    session = joined()
    assigned = session.receive(assignment(2, hold=[(0, 2)]), 0)
    revoked = session.receive(assignment(3, give=[(0, 2, 3)]), 0)
    grant = Grant(queue(), 2)
    (release,) = sent(Release, session.finish({grant: 42}, 0))

    assert [Assigned((grant,))] == only(Assigned, assigned)
    assert [Revoked((grant,))] == only(Revoked, revoked)
    assert (ReleaseRef(*queue(), 2, 42, 3),) == release.queues


@pytest.mark.parametrize("epoch", [0, 1])
def test_old_assignments_are_ignored(epoch: int) -> None:
    """An epoch that was seen, or an earlier one, is a replay."""
    session = joined((0, 1))

    assert [] == session.receive(assignment(epoch), 0)
    assert (GRANT,) == session.working


def test_it_joins_again_when_it_is_asked_to() -> None:
    """Its join is not in the log any more: it says it with a new number, and works on."""
    session = joined((0, 1))
    (join,) = sent(Join, session.receive(ASKED_AGAIN, 10))

    assert (MINE, 5) == (join.incarnation, join.sequence)  # the fifth record of this life
    assert (Grant(queue(0), 1),) == session.working


def test_it_joins_again_until_that_is_answered() -> None:
    """The first may be lost, and its answer; being asked once more makes it no faster."""
    session = joined((0, 1))
    asked = [10]
    for action in only(Send, session.receive(ASKED_AGAIN, 10)):
        session.failed(action.ticket, 10)
    assert [] == sent(Join, session.receive(ASKED_AGAIN.model_copy(update={"epoch": 3}), 20))
    while len(asked) < 4:
        now = session.wake_at
        actions = session.tick(now)
        acknowledge(session, actions, now)
        session.caught_up(now, now)
        asked += [now for _ in sent(Join, actions)]
    first = FIRST_JOIN_RETRY_MS
    assert [first, 2 * first, 4 * first] == [late - early for early, late in pairwise(asked)]

    session.receive(assignment(4, hold=[(0, 1)]), asked[-1])
    assert [] == sent(Join, run_until(session, asked[-1] + 5 * SESSION_MS))


def test_who_is_asked_for_its_join_once_more_asks_anew() -> None:
    """The controller may forget a second time: the old patience does not count."""
    session = joined((0, 1))
    session.receive(ASKED_AGAIN, 10)
    session.receive(assignment(3, hold=[(0, 1)]), 20)

    again = ASKED_AGAIN.model_copy(update={"epoch": 4})
    assert 1 == len(sent(Join, session.receive(again, 30)))


def test_who_is_leaving_does_not_join_again() -> None:
    """A newer join would take its drain back."""
    session = joined((0, 1))
    session.stop(10, 60_000)

    assert [] == sent(Join, session.receive(ASKED_AGAIN, 20))
    assert [] == sent(Join, session.tick(20 + FIRST_JOIN_RETRY_MS))


def test_who_has_not_been_heard_yet_stops_asking_when_it_leaves() -> None:
    """Asked for its join, then told to stop: the drain is its last word."""
    session = joined((0, 1))
    session.receive(ASKED_AGAIN, 10)
    session.stop(20, 60_000)

    assert [] == sent(Join, session.tick(10 + FIRST_JOIN_RETRY_MS))


def test_assignments_for_an_earlier_life_are_ignored() -> None:
    """They were meant for a process that is no more."""
    session = joined((0, 1))

    assert [] == session.receive(assignment(9, incarnation="1767225599999-ffffffff"), 0)


def test_assignments_for_a_younger_life_end_the_session() -> None:
    """A younger process has the name: everything is lost, and coming back would start a fight."""
    session = joined((0, 1))

    actions = session.receive(assignment(9, incarnation=YOUNGER), 0)

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

    actions = session.receive(assignment(1, hold=[(0, 1)], incarnation=session.incarnation), 1_000)

    assert [Assigned((GRANT,))] == only(Assigned, actions)
