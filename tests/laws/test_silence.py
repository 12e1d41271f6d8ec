"""Laws of silence: whoever beats in time stays, and a longer session removes nobody more.

Between the records of these logs the controller's ticks keep the clock running, as they do in life.
Without them each record proves a step of the clock at most, and no log is as long as a session.
"""

from hypothesis import given
from hypothesis import strategies as st

from rebalance.groups.model.decisions import MemberChange, MemberChanged
from rebalance.groups.model.policy import Policy
from rebalance.ids import Millis
from tests.builders.effort import tried
from tests.builders.records import beat_of, joined
from tests.builders.story import only
from tests.laws.logs import CUTS, RECORDS, Entry, Telling, read

POLICY = Policy(revocation_timeout_ms=Millis(600_000))
"""Nobody is fenced for being slow."""
TICK_MS = 1_000
SHORTER_THAN_A_SESSION = st.sampled_from([9_999, 5_000]) | st.integers(0, 9_999)
SILENCES = st.sampled_from([0, 1_000, 2_000, 4_000, 8_000])
"""Of three members that take turns each is silent for about three of these at a time."""


@tried(one_in=4)
@given(
    beats=st.lists(SHORTER_THAN_A_SESSION, min_size=1, max_size=8),
    others=st.lists(st.tuples(st.integers(0, 60_000), RECORDS), max_size=8),
    cuts=CUTS,
)
def test_member_that_beats_within_its_session_never_expires(
    beats: list[int], others: list[Entry], cuts: set[int]
) -> None:
    """Whatever others do and wherever batches end, beats less than a session apart count (I6)."""
    now = 0
    mine: list[Entry] = [(0, joined("z", sequence=0))]
    for sequence, gap in enumerate(beats):
        now += gap
        mine.append((now, beat_of("z", sequence=sequence)))
    meanwhile = [(min(when, now), record) for when, record in others]
    events = read(merged(mine, meanwhile), POLICY, TICK_MS)
    changes = [
        change
        for told in Telling(POLICY).tell(events, cuts)
        for change in only(MemberChanged, told.outcome.decisions)
        if change.member == "z"
    ]

    assert [MemberChange.JOINED] == [change.change for change in changes]


@tried(one_in=4)
@given(
    beats=st.lists(st.tuples(SILENCES, st.sampled_from("abc")), min_size=8, max_size=20),
    cuts=CUTS,
    short=st.integers(10_000, 15_000),
    longer=st.integers(0, 20_000),
)
def test_longer_session_never_expires_more(
    beats: list[tuple[int, str]], cuts: set[int], short: int, longer: int
) -> None:
    """Whoever survives a short timeout survives a longer one on the same log (I17)."""
    log: list[Entry] = [(0, joined(each, sequence=0)) for each in "abc"]
    log += [(gap, beat_of(who, sequence=at)) for at, (gap, who) in enumerate(beats)]
    survivors = []
    for session in (short, short + longer):
        policy = Policy(
            session_timeout_ms=Millis(session),
            heartbeat_interval_ms=Millis(333),
            blast_percent=100,  # a hold depends on how many are silent together
        )
        last = Telling(policy).tell(read(log, policy, TICK_MS), cuts)[-1].outcome.state
        survivors.append(set(last.membership.members))

    assert survivors[0] <= survivors[1]


def merged(one: list[Entry], other: list[Entry]) -> list[Entry]:
    """Merge two logs with absolute times into one with gaps."""
    entries = sorted([*one, *other], key=lambda entry: entry[0])
    times = [0, *(when for when, _ in entries)]
    return [(when - was, record) for (when, record), was in zip(entries, times, strict=False)]
