"""A session and the grants that come after its own: what it remembers, releases and loses."""

from copy import deepcopy

import pytest

from tests.builders.sessions import (
    HEARTBEAT_MS,
    MINE,
    a_release,
    acknowledge,
    assignment,
    joined,
    only,
    queue,
    sent,
)
from tests.unit.sdk.passage import GRANT, run_until
from trimtab.protocol import (
    RELEASES,
    Beat,
    Drain,
    GrantRef,
    HolderRef,
    InheritRef,
    Leave,
    Release,
    ReleaseRef,
)
from trimtab.session import Assigned, Ended, Ending, Grant, LossReason, Lost, Revoked, Send
from trimtab.session.beating import BEAT_SPACING_MS

OTHER = Grant(queue(1), 1)


def test_another_next_is_no_news_to_the_application() -> None:
    """Nothing is done but to say that it was read."""
    session = joined((0, 1))
    told = session.receive(assignment(2, hold=[(0, 1, 2)]), BEAT_SPACING_MS)

    assert (1, []) == (len(sent(Beat, told)), only(Assigned, told) + only(Lost, told))
    assert (HolderRef(*queue(), 1, 2),) == session.holdings


def test_whoever_was_told_who_comes_next_lists_what_it_owns() -> None:
    """Until Kafka has that beat: it shows the controller which promises need not be kept."""
    session = joined((0, 1))
    actions = session.receive(assignment(2, hold=[(0, 1, 2)]), 1_000)  # this beat is lost
    actions += run_until(session, 1_000 + 2 * HEARTBEAT_MS)
    said = [(it.epoch, it.owned) for it in sent(Beat, actions)]
    assert [(2, (GrantRef(*queue(), 1),))] * 2 + [(2, None)] == said


def test_whoever_is_told_to_name_nobody_lists_what_it_owns_as_well() -> None:
    """Each time: it may have missed whom to name, and its last full beat may come too late."""
    session = joined((0, 1, 2))
    run_until(session, HEARTBEAT_MS)
    for epoch in (2, 3):
        now = epoch * HEARTBEAT_MS
        actions = session.receive(assignment(epoch, hold=[(0, 1)]), now)
        acknowledge(session, actions, now)
        actions += run_until(session, now + HEARTBEAT_MS - 1)
        assert (epoch, (GrantRef(*queue(), 1),)) in [
            (it.epoch, it.owned) for it in sent(Beat, actions)
        ]


def test_what_another_has_released_is_lost_and_said_so() -> None:
    """The next beat does not name it, and the member works on with the rest."""
    session = joined((0, 1, 2), (1, 1, 2))
    release = a_release("m", (0, 1, None, 2), incarnation=MINE)
    actions = session.hear(release.model_copy(update={"by": "controller"}), BEAT_SPACING_MS)

    assert [Lost((GRANT,), LossReason.RELEASED)] == only(Lost, actions)
    (beat,) = sent(Beat, actions)
    assert (GrantRef(*queue(1), 1),) == beat.owned
    assert "joined" == session.phase


def test_a_life_knows_what_was_released_in_an_earlier_one() -> None:
    """It hears the log on: the first release counts, also if it was of its own former grant."""
    session = joined((0, 1))
    session.hear(a_release("m", (0, 1, 42, 5), incarnation=MINE), 0)
    session.receive(None, 0)
    session.hear(a_release("m", (0, 1, 43, 6), incarnation=MINE), 0)

    for epoch, begun in ((6, list[int]()), (5, [5])):
        life = deepcopy(session)
        source = InheritRef(*queue(), epoch, "m", MINE, 1)
        record = assignment(7, incarnation=session.incarnation)
        actions = life.receive(record.model_copy(update={"inherit": (source,)}), 0)
        assert begun == [it.token for each in only(Assigned, actions) for it in each.grants]


def test_what_is_not_known_to_be_released_is_still_to_be_released() -> None:
    """If the process dies now: what is worked on, and what Kafka has not acknowledged."""
    session = joined((0, 1, 2), (1, 1, 3))
    both = session.holdings
    session.receive(assignment(2, hold=[(1, 1, 3)], give=[(0, 1, 4)]), 0)
    actions = session.finish({GRANT: 42}, 0)
    (release,) = [it for it in only(Send, actions) if it.topic == RELEASES.name]

    assert (HolderRef(*queue(), 1, 2), HolderRef(*queue(1), 1, 3)) == both
    assert (HolderRef(*queue(), 1, 4), HolderRef(*queue(1), 1, 3)) == session.holdings
    session.failed(release.ticket, 0)
    assert 2 == len(session.holdings)
    acknowledge(session, session.tick(HEARTBEAT_MS), HEARTBEAT_MS)
    assert [HolderRef(*queue(1), 1, 3)] == list(session.holdings)


def test_leaving_hands_on_at_once_what_has_an_heir() -> None:
    """Nobody is asked: each queue goes to who comes next as last told; the rest waits for one."""
    session = joined((0, 1, 7), (1, 1))
    actions = session.stop(0, timeout_ms=30_000)
    assert [Revoked((GRANT,))] == only(Revoked, actions)
    assert (1, [OTHER]) == (len(sent(Drain, actions)), list(session.working))

    actions += session.finish({GRANT: 42}, 0)
    assert [(ReleaseRef(*queue(), 1, 42, 7),)] == [it.queues for it in sent(Release, actions)]
    assert [] == sent(Leave, acknowledge(session, actions, 0))


@pytest.mark.parametrize("verb", ["hold", "give"])
def test_leaving_hands_on_as_soon_as_there_is_an_heir(verb: str) -> None:
    """It does not matter whether it is told to hold until then, or to give."""
    session = joined((0, 1))
    acknowledge(session, session.stop(0, timeout_ms=30_000), 0)
    hold, give = ([(0, 1, 7)], []) if verb == "hold" else ([], [(0, 1, 7)])
    actions = session.receive(assignment(2, hold=hold, give=give), 0)
    assert [Revoked((GRANT,))] == only(Revoked, actions)

    actions += session.finish({GRANT: 42}, 0)
    assert [(ReleaseRef(*queue(), 1, 42, 7),)] == [it.queues for it in sent(Release, actions)]
    assert [Ended(Ending.LEFT)] == acknowledge(session, acknowledge(session, actions, 0), 0)


def test_leaving_with_heirs_asks_nobody() -> None:
    """With a controller that is away: let go, leave, and that is all."""
    session = joined((0, 1, 7), (1, 1, 8))
    actions = session.stop(0, timeout_ms=30_000)
    actions += session.finish({GRANT: 42, OTHER: 43}, 10)
    (release,) = sent(Release, actions)
    assert [7, 8] == [row.next for row in release.queues]
    assert [] == sent(Leave, actions)

    farewell = acknowledge(session, actions, 20)
    assert 1 == len(sent(Leave, farewell))
    assert [Ended(Ending.LEFT)] == acknowledge(session, farewell, 30)


def test_the_heir_of_a_leaver_may_change_until_it_has_let_go() -> None:
    """The application takes its time, and the controller has found a better one."""
    session = joined((0, 1, 7))
    session.stop(0, timeout_ms=30_000)
    assert [] == only(Revoked, session.receive(assignment(2, give=[(0, 1, 8)]), 0))

    (release,) = sent(Release, session.finish({GRANT: 42}, 0))
    assert [8] == [row.next for row in release.queues]


def test_whoever_lets_go_in_a_hurry_names_nobody_unless_it_was_told() -> None:
    """The time is up and no heir was found: the queue is left to the controller."""
    session = joined((0, 1))
    acknowledge(session, session.stop(0, timeout_ms=1_000), 0)
    run_until(session, 1_000)

    (release,) = sent(Release, session.finish({GRANT: 42}, 1_000))
    assert (ReleaseRef(*queue(), 1, 42, None),) == release.queues


def test_what_a_leaver_is_granted_in_a_hurry_it_lets_go() -> None:
    """The controller has not heard yet: it is told and revoked in one go."""
    session = joined((0, 1))
    acknowledge(session, session.stop(0, timeout_ms=1_000), 0)
    run_until(session, 1_000)
    actions = session.receive(assignment(2, hold=[(0, 1), (1, 2, 3)]), 1_000)

    grants = (Grant(queue(1), 2),)
    assert [Assigned(grants), Revoked(grants)] == only(Assigned, actions) + only(Revoked, actions)


def test_whoever_drains_may_still_inherit() -> None:
    """It was the one named, so nobody else works on it: it does until it is told who comes next."""
    session = joined((0, 1))
    session.receive(assignment(2, hold=[(0, 1)], inherit=[(1, 2, "a", 1)]), 0)
    acknowledge(session, session.stop(0, timeout_ms=30_000), 0)
    actions = session.hear(a_release("a", (1, 1, 42, 2)), 0)
    assert [Assigned((Grant(queue(1), 2, 42),))] == only(Assigned, actions)

    actions = session.receive(assignment(3, hold=[(0, 1)], give=[(1, 2, 3)]), 0)
    assert [Revoked((Grant(queue(1), 2, 42),))] == only(Revoked, actions)
