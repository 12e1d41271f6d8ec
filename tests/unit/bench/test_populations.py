"""The records that the benches send are what the protocol asks for."""

from itertools import chain

import pytest

from bench.populations import Question, Suspect, Visitor, beats, routes
from trimtab.protocol import ReleaseRef, decode, encode

VISITOR = Visitor("host-1", 9)
SUSPECT = Suspect(9)


@pytest.mark.parametrize(
    "said",
    [
        next(routes()),
        next(beats(1)),
        VISITOR.joins(),
        VISITOR.is_let_in([ReleaseRef("bench-orders", "", 8, 1, None)]),
        VISITOR.leaves(),
        SUSPECT.is_accused()[0],
        SUSPECT.is_judged(),
        SUSPECT.is_restored(),
        SUSPECT.is_forgotten(),
    ],
    ids=["route", "beat", "join", "release", "leave", "accuse", "judge", "restore", "forget"],
)
def test_every_record_is_read_as_it_was_meant(said: Question) -> None:
    """Whatever the bench sends belongs on the topic that it is sent to."""
    assert said.record == decode(said.topic, encode(said.record))


def test_each_answer_is_to_one_question() -> None:
    """No two visitors look for their answers under the same key."""
    visits = chain.from_iterable(
        (visitor.joins(), visitor.leaves())
        for visitor in (Visitor("host-1", 1), Visitor("host-1", 2))
    )
    assert {b"host-1/visitor-1", b"host-1/visitor-2"} == {said.answer for said in visits}


def test_only_questions_are_answered_under_a_suspect_s_key() -> None:
    """The floor echoes accusations too: an echo of one must not pass for the answer."""
    asked = {said.answer for said in (SUSPECT.is_judged(), SUSPECT.is_restored())}

    assert {b"bench/suspect-9"} == asked | {SUSPECT.is_forgotten().answer}
    assert not asked & {said.answer for said in SUSPECT.is_accused()}
