"""A session that wants other topics than before."""

from dataclasses import replace

from tests.builders.sessions import (
    MINE,
    SESSION_MS,
    acknowledge,
    assignment,
    joined,
    only,
    sent,
)
from tests.unit.sdk.passage import run_until
from trimtab.protocol import Join
from trimtab.session import Action, MemberSession, Send
from trimtab.session.asking import FIRST_JOIN_RETRY_MS


def wanting(session: MemberSession, *topics: str) -> list[Action]:
    """Have it want these."""
    return session.want(replace(session.profile, topics=topics), 0)


def the_join(actions: list[Action]) -> tuple[int, Join]:
    """The ticket and the record of what was asked first."""
    (join,) = sent(Join, actions)
    return only(Send, actions)[0].ticket, join


def test_it_asks_as_the_same_life() -> None:
    """At once, later than all that it has said; what it holds stays until it is told otherwise."""
    session = joined((0, 1))
    before = session.working
    _, join = the_join(wanting(session, "payments", "orders"))

    assert (MINE, ("payments", "orders")) == (join.incarnation, join.topics)
    assert join.sequence > 1
    assert ("joined", before) == (session.phase, session.working)


def test_an_answer_ends_it() -> None:
    """It is not asked for again."""
    session = joined((0, 1))
    acknowledge(session, wanting(session, "payments"), 0)
    session.receive(assignment(2), 0)

    assert [] == sent(Join, run_until(session, 3 * SESSION_MS))


def test_an_answer_to_what_was_asked_before_is_none() -> None:
    """Until Kafka has the wish: what the member hears meanwhile may be older."""
    session = joined((0, 1))
    ticket, _ = the_join(wanting(session, "payments"))
    session.receive(assignment(2, hold=[(0, 1)]), 0)
    session.failed(ticket, 0)
    again = [join.topics for join in sent(Join, run_until(session, 2 * FIRST_JOIN_RETRY_MS))]

    assert [("payments",)] == again


def test_who_leaves_asks_for_nothing_more() -> None:
    """Not even when the last wish did not arrive."""
    session = joined((0, 1))
    ticket, _ = the_join(wanting(session, "payments"))
    session.stop(0, SESSION_MS)
    session.failed(ticket, 0)

    assert [] == sent(Join, run_until(session, SESSION_MS))
    assert [] == sent(Join, wanting(session, "refunds"))


def test_the_next_life_wants_the_same() -> None:
    """A member that is forgotten joins again with its last wish."""
    session = joined((0, 1))
    wanting(session, "payments")
    (join,) = sent(Join, session.receive(None, 0))

    assert (("payments",), True) == (join.topics, join.incarnation > MINE)
