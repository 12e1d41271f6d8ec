"""The records that the benches send are what the protocol asks for."""

import pytest

from bench.populations import BadBroker, Newcomer, Question, beats, routes
from trimtab.protocol import ReleaseRef, decode, encode

NEWCOMER = Newcomer("measured-1", 9)
BAD = BadBroker(9)


@pytest.mark.parametrize(
    "said",
    [
        next(routes()),
        next(beats(1)),
        *NEWCOMER.joins(),
        NEWCOMER.is_let_in([ReleaseRef("bench-orders", "", 8, 1, None)]),
        *NEWCOMER.leaves([ReleaseRef("bench-orders", "", 8, 1, None)]),
        BAD.is_reported_bad()[0],
        BAD.is_judged(),
        BAD.is_restored(),
        BAD.is_forgotten(),
    ],
    ids=[
        "route",
        "beat",
        "join",
        "mark",
        "release",
        "free",
        "leave",
        "accuse",
        "judge",
        "restore",
        "forget",
    ],
)
def test_every_record_is_read_as_it_was_meant(said: Question) -> None:
    """Whatever the bench sends belongs on the topic that it is sent to."""
    assert said.record == decode(said.topic, encode(said.record))


def test_each_answer_is_to_one_question() -> None:
    """No two newcomers look for their answers under the same key."""
    newcomers = [Newcomer("measured-1", number) for number in (1, 2)]
    asked = [said for it in newcomers for said in (*it.joins(), *it.leaves())]

    assert {b"measured-1/newcomer-1", b"measured-1/newcomer-2", b""} == {it.answer for it in asked}
    assert 4 == sum(bool(it.answer) for it in asked)


def test_only_questions_are_answered_under_a_bad_broker_s_key() -> None:
    """The floor echoes accusations too: an echo of one must not pass for the answer."""
    asked = {said.answer for said in (BAD.is_judged(), BAD.is_restored())}

    assert {b"bench/bad-9"} == asked | {BAD.is_forgotten().answer}
    assert not asked & {said.answer for said in BAD.is_reported_bad()}
