"""A summary that is read in a hurry says what the contract reads."""

import pytest

from console.briefs import brief_of
from console.views import groups, members, overview
from tests.builders.wire_examples import golden
from tests.unit.console.views.published_records import group
from trimtab.protocol import (
    GROUPS,
    Group,
    MemberSummary,
    TopicSummary,
    UndecodableRecord,
    decode,
    encode,
)

FULL = group(
    "a",
    state="starved",
    paused=True,
    people=(
        MemberSummary(
            member="a",
            hold=1,
            give=2,
            inherit=3,
            heir_of=4,
            draining=True,
            away=True,
            held=True,
            resting=True,
            standby=True,
            guarded=True,
        ),
    ),
    topics={"orders": TopicSummary(version=0, queues=1, awaited=True)},
    more_topics=3,
    shortage={"every subscriber is at its capacity": 2},
    ailment="it ails",
)
RECORDS = [it.wire.encode() for it in golden() if it.topic == GROUPS.name]


@pytest.mark.parametrize("value", [encode(FULL), encode(group("a", "b")), *RECORDS])
def test_a_brief_says_what_the_summary_says(value: bytes) -> None:
    """In every column of each list."""
    whole, brief = decode(GROUPS, value), brief_of(value)

    assert isinstance(whole, Group)
    assert brief is not None
    assert groups.row(whole) == groups.row(brief)
    assert members.rows([whole]) == members.rows([brief])
    assert overview.urgency(whole) == overview.urgency(brief)
    assert overview.sums([whole]) == overview.sums([brief])


@pytest.mark.parametrize("value", [b"", b"\xff", b"[]", b'{"v": 2, "kind": "group"}', b"{}"])
def test_what_is_no_summary_is_left_to_the_contract(value: bytes) -> None:
    """Which says what is wrong."""
    assert brief_of(value) is None
    with pytest.raises(UndecodableRecord):
        decode(GROUPS, value)
