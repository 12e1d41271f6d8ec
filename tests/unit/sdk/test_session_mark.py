"""The mark of a life: when it is written, and until when."""

from collections.abc import Sequence

import pytest

from tests.builders.sessions import (
    GROUP,
    HEARTBEAT_MS,
    MINE,
    OTHERS,
    a_session,
    acknowledge,
    assignment,
    joined,
    marks,
    only,
    read_back,
    sent,
)
from tests.unit.sdk.passage import GRANT, run_until
from trimtab.protocol import RELEASES, Beat, Join, Leave, LifeRef, Release
from trimtab.protocol.members import Mode
from trimtab.session import Action, MemberSession, Profile, Send
from trimtab.session.asking import FIRST_JOIN_RETRY_MS
from trimtab.session.mark import Mark

AT_FIRST = HEARTBEAT_MS
LATER = 2 * HEARTBEAT_MS


def said(actions: Sequence[Action]) -> tuple[int, int]:
    """How many beats were sent, and how many marks."""
    return len(sent(Beat, actions)), len(marks(actions))


def answered() -> tuple[MemberSession, list[Action]]:
    """A session that has just joined; and what it has sent since, all of it in the log."""
    session = a_session()
    acknowledge(session, session.tick(0), 0)
    actions = session.receive(assignment(1, hold=[(0, 1)]), 0)
    acknowledge(session, actions, 0)
    return session, actions


@pytest.mark.parametrize(
    ("read", "due"),
    [((), True), ((2,), True), ((5,), False), ((2, 7), False), ((7, 2), False)],
    ids=["nothing", "before the answer", "after it", "both", "in another order"],
)
def test_only_one_that_was_written_after_the_answer_counts(
    read: tuple[int, ...], *, due: bool
) -> None:
    """An earlier one may have come before the join, when nobody knew whose it was."""
    mark = Mark(LifeRef("m", MINE), needed=True)
    for sequence, has_answer in ((2, False), (5, True), (7, True)):
        mark.sent(sequence, answered=has_answer)
    for sequence in read:
        mark.heard(Release(member="m", incarnation=MINE, sequence=sequence, queues=()))

    assert due == mark.due


def test_each_join_and_each_beat_brings_one() -> None:
    """Nobody answers: the controller may have admitted it all the same, and wait for its mark."""
    session = a_session()
    first = session.tick(0)
    later = run_until(session, 20_000)

    (mark,) = marks(first)
    (record,) = [it for it in only(Send, first) if it.topic == RELEASES.name]
    assert (MINE, 2, GROUP.encode()) == (mark.incarnation, mark.sequence, record.key)
    joins, (beats, written) = len(sent(Join, later)), said(later)
    assert min(joins, beats) > 1
    assert joins + beats == written


def test_what_was_written_before_the_answer_does_not_end_it() -> None:
    """Whether it is read before the answer, or after it."""
    session = a_session()
    first = session.tick(0)
    acknowledge(session, first, 0)
    read_back(session, first, 0)
    acknowledge(session, session.receive(assignment(1), 0), 0)
    read_back(session, first, 0)

    assert (1, 1) == said(session.tick(AT_FIRST))


def test_it_is_written_with_each_beat_until_one_is_read_back() -> None:
    """Then no more, for all this life."""
    session, _ = answered()
    again = run_until(session, AT_FIRST)
    read_back(session, again, AT_FIRST)

    assert [(1, 1), (9, 0)] == [said(again), said(run_until(session, 10 * HEARTBEAT_MS))]


@pytest.mark.parametrize(
    "whose", [{"member": "another"}, {"incarnation": OTHERS}], ids=["member", "life"]
)
def test_that_of_another_life_does_not_count(whose: dict[str, str]) -> None:
    """It shows what that life has read."""
    session, actions = answered()
    for mark in marks(actions):
        session.hear(mark.model_copy(update=whose), 0)

    assert (1, 1) == said(session.tick(AT_FIRST))


def test_a_release_of_queues_shows_as_much() -> None:
    """It is a record of this life that was read back, like any mark."""
    session, _ = answered()
    session.receive(assignment(2, give=[(0, 1)]), 0)
    read_back(session, session.finish({GRANT: 42}, 0), 0)

    assert (1, 0) == said(session.tick(AT_FIRST))


def test_one_that_failed_is_not_sent_again_by_itself() -> None:
    """The next beat brings another: one, however many have failed."""
    session = a_session()
    acknowledge(session, session.tick(0), 0)
    lost = session.receive(assignment(1), 0)
    for action in only(Send, lost):
        session.failed(action.ticket, 0)

    assert 1 == len(marks(lost))
    assert (1, 1) == said(session.tick(AT_FIRST))


def test_nobody_waits_for_one_that_is_not_in_the_log() -> None:
    """Whoever leaves need not be read."""
    session = a_session()
    session.tick(0)
    session.receive(assignment(1), 0)

    assert 1 == len(sent(Leave, session.stop(0, timeout_ms=1_000)))
    assert () == session.holdings


def test_a_new_life_marks_again() -> None:
    """What its former life has shown does not count for it."""
    session = joined((0, 1))
    earlier = run_until(session, LATER)
    reborn = session.receive(None, LATER)
    (mark,) = marks(reborn)
    later = session.receive(assignment(1, incarnation=session.incarnation), LATER)

    assert [] == marks(earlier)
    assert (session.incarnation, 2) == (mark.incarnation, mark.sequence)
    assert session.incarnation > MINE
    assert [] != marks(later)
    assert {session.incarnation} == {it.incarnation for it in marks(later)}


@pytest.mark.parametrize("mode", ["broadcasting", "shared"])
def test_whoever_owns_nothing_writes_none(mode: Mode) -> None:
    """It is never promised anything; and its join says so."""
    profile = Profile(group=GROUP, member="m", topics=("orders",), mode=mode)
    session = MemberSession(profile, MINE, 0)
    actions = session.tick(0) + session.receive(assignment(1, hold=[(0, 1)]), 0)
    actions += session.tick(AT_FIRST)
    (theirs,), (ours,) = sent(Join, actions), sent(Join, a_session().tick(0))

    assert len(sent(Beat, actions)) > 1
    assert ([], None, True) == (sent(Release, actions), theirs.marks, ours.marks)


def test_a_join_that_is_asked_for_brings_one_again() -> None:
    """It was read back, and Kafka has lost it since: the controller still waits for it."""
    session, first = answered()
    read_back(session, first, 1)
    assert [] == marks(run_until(session, 2 * HEARTBEAT_MS))

    asked = assignment(2, hold=[(0, 1)]).model_copy(update={"join_again": True})
    actions = session.receive(asked, 2 * HEARTBEAT_MS)
    assert 1 == len(sent(Join, actions))
    assert marks(actions)
    read_back(session, actions, 2 * HEARTBEAT_MS)
    assert [] == marks(run_until(session, 2 * HEARTBEAT_MS + FIRST_JOIN_RETRY_MS - 1))
