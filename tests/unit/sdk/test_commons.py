"""The member's side of the commons, rule by rule."""

import pytest

from tests.builders.sessions import (
    GROUP,
    MINE,
    a_release,
    acknowledge,
    assignment,
    only,
    queue,
    sent,
)
from trimtab.protocol import GrantRef, Join, Leave, LifeRef, Release
from trimtab.protocol.members import Mode
from trimtab.session import Assigned, Grant, LossReason, Lost, MemberSession, Profile, Revoked
from trimtab.session.baton import Changes
from trimtab.session.commons import Commons
from trimtab.session.recall import Recall

DEADLINE = 1_000


def grant(number: int = 0) -> Grant:
    """A queue under the epoch of our joining."""
    return Grant(queue(number), 1, None)


def reading(*numbers: int) -> Commons:
    """A life that reads these queues."""
    commons = Commons(LifeRef("m", MINE), Recall(), bool)
    commons.obey(assignment(1, hold=[(number, 1) for number in numbers]), DEADLINE)
    return commons


def test_what_is_new_is_started_and_the_rest_goes_on() -> None:
    """Under whatever epoch it is named: that is no token here."""
    changes = reading(0).obey(assignment(2, hold=[(0, 1), (1, 1)]), DEADLINE)

    assert Changes(assigned=[grant(1)]) == changes


@pytest.mark.parametrize("given", [(), ((0, 1),)], ids=["omitted", "given"])
def test_what_is_no_longer_named_is_finished_in_good_order(
    given: tuple[tuple[int, int], ...],
) -> None:
    """It is not lost: nobody else depends on its end, and nobody hears of it."""
    commons = reading(0, 1)
    changes = commons.obey(assignment(2, hold=[(1, 1)], give=given), DEADLINE)

    assert Changes(revoked=[grant(0)]) == changes
    assert (GrantRef(*queue(0), 1), GrantRef(*queue(1), 1)) == commons.owned
    assert Changes() == commons.finish({grant(0): 42})
    assert (grant(1),) == commons.working


def test_a_queue_may_come_back_under_the_same_epoch() -> None:
    """Before or after the application has finished with it."""
    commons = reading(0)
    commons.obey(assignment(2), DEADLINE)
    assert Changes() == commons.obey(assignment(3, hold=[(0, 1)]), DEADLINE)
    assert Changes(assigned=[grant(0)]) == commons.finish({grant(0): None})

    commons.obey(assignment(4), DEADLINE)
    commons.finish({grant(0): None})
    assert Changes(assigned=[grant(0)]) == commons.obey(assignment(5, hold=[(0, 1)]), DEADLINE)


def test_releases_of_others_mean_nothing() -> None:
    """Nobody is an heir."""
    assert Changes() == reading(0).hear(a_release("n", (0, 1, 7, 2)))


@pytest.mark.parametrize("member", ["m", "n"])
def test_nothing_is_there_to_release(member: str) -> None:
    """Whatever a release says, and whoever dies: nobody comes next."""
    commons = reading(0)

    assert Changes() == commons.hear(a_release(member, (0, 1, 7, 2), incarnation=MINE))
    assert ((), (grant(0),)) == (commons.holdings, commons.working)
    assert Changes() == commons.hand_on(DEADLINE)


def a_session(mode: Mode) -> MemberSession:
    """A session that reads queues 0 and 1 with others."""
    profile = Profile(group=GROUP, member="m", topics=("orders",), mode=mode)
    session = MemberSession(profile, MINE, 0)
    asked = session.tick(0)
    assert [mode] == [join.mode for join in sent(Join, asked)]
    acknowledge(session, asked, 0)
    acknowledge(session, session.receive(assignment(1, hold=[(0, 1), (1, 1)]), 0), 0)
    return session


@pytest.mark.parametrize("mode", ["broadcasting", "shared"])
def test_leaving_finishes_everything_and_releases_nothing(mode: Mode) -> None:
    """What is shared is worked on until the controller has named others; the rest they have."""
    session = a_session(mode)
    told = session.stop(0, timeout_ms=30_000)
    acknowledge(session, told, 0)
    ordered = session.receive(assignment(2), 0)
    awaits = {"broadcasting": told, "shared": ordered}[mode]
    assert [Revoked((grant(0), grant(1)))] == only(Revoked, awaits) == only(Revoked, told + ordered)

    actions = acknowledge(session, ordered, 0)
    actions += session.finish({grant(0): None, grant(1): None}, 0)
    actions += acknowledge(session, actions, 0)
    assert (1, 0) == (len(sent(Leave, actions)), len(sent(Release, actions)))


def test_what_was_broadcast_is_not_begun_again_by_who_leaves() -> None:
    """The controller may not have heard of it yet."""
    session = a_session("broadcasting")
    acknowledge(session, session.stop(0, timeout_ms=30_000), 0)
    actions = session.receive(assignment(2, hold=[(0, 1), (1, 1), (2, 2)]), 0)
    actions += session.finish({grant(0): None}, 0)

    assert [] == only(Assigned, actions)
    assert (grant(1),) == session.revoking


def test_a_slow_application_is_not_interrupted() -> None:
    """It may take longer than a revocation timeout: nobody waits for it."""
    session = a_session("shared")
    acknowledge(session, session.receive(assignment(2, hold=[(1, 1)]), 0), 0)
    for now in range(0, 70_000, 1_000):
        acknowledge(session, session.tick(now), now)
        session.caught_up(now, now)

    assert ((grant(0),), (grant(1),)) == (session.revoking, session.working)


def test_everything_is_lost_when_the_group_does_not_know_us() -> None:
    """As for any other member: the application drops it at once and the session joins anew."""
    session = a_session("shared")
    lost = [it for it in session.receive(None, 0) if isinstance(it, Lost)]

    assert [Lost((grant(0), grant(1)), LossReason.UNKNOWN)] == lost
