"""Laws of the step: they hold for whatever a log may say."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

from hypothesis import example, given

from allocators.rocketmq.averagely import averagely
from allocators.sticky.strategy import sticky
from rebalance.groups.model.decisions import AssignmentIssued
from rebalance.groups.model.member import Member
from rebalance.groups.model.overview import GroupSummarised
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.groups.step import step
from rebalance.ids import Epoch, MemberId, Millis, Queue
from tests.builders.effort import tried
from tests.builders.records import at
from tests.builders.story import only
from tests.laws import rarities
from tests.laws.logs import COMMANDED_LOGS, CUTS, LOGS, Entry, Telling, is_spared, read

POLICY = Policy(heartbeat_auto=True)
PATIENT = Policy(revocation_timeout_ms=Millis(600_000))
"""Nobody is fenced for being slow: when that is depends on when it was told, so on the cuts."""


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_no_input_raises_and_the_books_stay_whole(log: list[Entry], cuts: set[int]) -> None:
    """The step is total; each queue has one holder and other heirs, all of living members.

    But a holder stays that has ended, until its release is read.
    """
    for _, _, outcome in Telling(POLICY).tell(read(log, POLICY), cuts):
        state = outcome.state
        lives = {(name, member.incarnation) for name, member in state.membership.members.items()}

        assert state.membership.members.keys() == state.membership.pulses.keys()
        for owned in state.handover.books.values():
            assert owned.ending is not None or owned.holder.life in lives
            assert lives.issuperset(heir.life for heir in owned.heirs)
            assert owned.asked is not None or not owned.heirs


@tried(one_in=4)
@given(LOGS, CUTS)
def test_target_is_owned_or_on_its_way(log: list[Entry], cuts: set[int]) -> None:
    """A queue meant for somebody has a holder; another one than meant was told to let go."""
    for _, _, outcome in Telling(POLICY).tell(read(log, POLICY), cuts):
        for queue, wanted in outcome.state.target.owners.items():
            if outcome.state.membership.members[wanted].away:
                continue  # its queues wait for it
            owned = outcome.state.handover.books[queue]

            assert owned.holder.member == wanted or owned.asked is not None


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_epochs_only_grow_and_are_drawn_once_a_batch(log: list[Entry], cuts: set[int]) -> None:
    """One counter: target <= group <= epoch, and every record of a batch carries its reading."""
    for before, _, outcome in Telling(POLICY).tell(read(log, POLICY), cuts):
        state = outcome.state
        drawn = {issued.epoch for issued in only(AssignmentIssued, outcome.decisions)}

        assert before.epoch <= state.epoch <= before.epoch + 1
        assert before.group_epoch <= state.group_epoch <= state.epoch
        assert before.target.epoch <= state.target.epoch <= state.group_epoch
        assert drawn <= {state.epoch}


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_same_epoch_means_the_same_record(log: list[Entry], cuts: set[int]) -> None:
    """Whatever is published again under an epoch is published unchanged (I4)."""
    published: dict[tuple[MemberId, int], AssignmentIssued] = {}
    for _, _, outcome in Telling(POLICY).tell(read(log, POLICY), cuts):
        for issued in only(AssignmentIssued, outcome.decisions):
            key = issued.member, issued.epoch

            assert published.setdefault(key, issued) == issued


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_no_epoch_no_news(log: list[Entry], cuts: set[int]) -> None:
    """A batch that draws no epoch changes nobody's share and publishes no summary (I14)."""
    for before, _, outcome in Telling(POLICY).tell(read(log, POLICY), cuts):
        if outcome.state.epoch == before.epoch:
            assert before.handover.books == outcome.state.handover.books
            assert before.target.owners == outcome.state.target.owners
            assert [] == only(GroupSummarised, outcome.decisions)


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
@example(rarities.TAKEN_AND_MADE_ANEW, {1, 2, 3, 4, 5})
def test_grants_move_forward_only(log: list[Entry], cuts: set[int]) -> None:
    """The epoch of a queue's holder never goes back, and who was told to give stays told (I3).

    It is told anew where its topic was made anew.
    """
    for before, _, outcome in Telling(POLICY).tell(read(log, POLICY), cuts):
        for queue, now in outcome.state.handover.books.items():
            was = before.handover.books.get(queue)
            if was is not None:
                assert was.holder.epoch <= now.holder.epoch
                if was.holder.epoch == now.holder.epoch and was.asked:
                    assert now.asked is not None
                    assert was.asked == now.asked or was.asked.epoch < now.asked.epoch


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_replay_decides_the_same(log: list[Entry], cuts: set[int]) -> None:
    """The same state and batch give the same outcome, in the same order, and alter neither (I7)."""
    telling = Telling(POLICY)
    for before, batch, outcome in telling.tell(read(log, POLICY), cuts):
        again = telling.step(before, batch)

        assert outcome == again
        assert list(outcome.state.handover.books) == list(again.state.handover.books)
        assert list(outcome.state.target.owners) == list(again.state.target.owners)


@tried(one_in=4)
@given(LOGS, CUTS, CUTS)
@example(rarities.ASKED_BACK_OR_NOT, {4}, {4, 5, 6, 7})
@example(rarities.HEARD_AGAIN, rarities.EACH, rarities.ONE)
@example(rarities.A_REST_THAT_ENDS, {18}, rarities.ONE)
@example(rarities.GONE_FOR_A_WHILE, {11, 13, 14}, {11})
def test_batch_cuts_do_not_change_where_it_ends(
    log: list[Entry], cuts: set[int], others: set[int]
) -> None:
    """However one log is cut into batches, the same members end up with the same queues (I7).

    Nobody is newly given what is meant for a member that is away. Who works on it may keep it; but
    not who was once told to let go, and whether anybody was depends on the cuts.
    """
    telling, events = Telling(PATIENT), read(log, PATIENT)
    ends = []
    for each in (cuts, others):
        last = telling.tell(events, each)[-1].outcome.state
        ends.append(telling.settled(last, events[-1].stamp))

    assert lives(ends[0]) == lives(ends[1])
    assert ends[0].topics.routes == ends[1].topics.routes
    if is_spared(ends[0]):
        return
    assert ends[0].target.owners == ends[1].target.owners
    assert served(ends[0]) == served(ends[1])


@tried(one_in=4)
@given(LOGS, CUTS, CUTS)
def test_batch_cuts_do_not_change_how_fair_it_ends(
    log: list[Entry], cuts: set[int], others: set[int]
) -> None:
    """STICKY looks at the target before, so the cuts choose who has what; but not how much (I7)."""
    telling, events = Telling(PATIENT, sticky), read(log, PATIENT)
    one, other = (telling.tell(events, each)[-1].outcome.state for each in (cuts, others))

    if is_spared(one):
        return
    assert one.target.owners.keys() == other.target.owners.keys()
    assert loads(one) == loads(other)


@tried(one_in=4)
@given(LOGS, CUTS)
@example(rarities.ASKED_BACK_OR_NOT, {4})
def test_quiet_group_is_owned_as_it_was_meant(log: list[Entry], cuts: set[int]) -> None:
    """When everybody has obeyed, the books say exactly what the target says."""
    telling, events = Telling(PATIENT), read(log, PATIENT)
    last = telling.tell(events, cuts)[-1].outcome.state
    quiet = telling.settled(last, events[-1].stamp)

    away = {name for name, member in quiet.membership.members.items() if member.away}
    meant = {queue: name for queue, name in quiet.target.owners.items() if name not in away}
    assert meant == served(quiet)
    assert quiet.handover.books.keys() <= quiet.target.owners.keys()
    assert not away & {owned.holder.member for owned in quiet.handover.books.values()}
    assert not any(owned.moves for owned in quiet.handover.books.values())


def lives(state: GroupState) -> dict[MemberId, Member]:
    """Who belongs to the group, whenever a batch ended."""
    return {
        name: replace(member, since=Epoch(0)) for name, member in state.membership.members.items()
    }


def loads(state: GroupState) -> list[Fraction]:
    """How much each member is to carry beside what it can, the least first."""
    counts = Counter(state.target.owners.values())
    return sorted(
        Fraction(counts[name], one.weight) for name, one in state.membership.members.items()
    )


def served(state: GroupState) -> dict[Queue, MemberId]:
    """Who holds each queue, but for those that wait for a member that is away."""
    away = {name for name, member in state.membership.members.items() if member.away}
    waiting = {queue for queue, name in state.target.owners.items() if name in away}
    return {
        queue: owned.holder.member
        for queue, owned in state.handover.books.items()
        if queue not in waiting
    }


def read_by(state: GroupState) -> GroupState:
    """A state without what its members may not have read yet: any step shows that it is out."""
    pulses = {name: replace(pulse, unread=None) for name, pulse in state.membership.pulses.items()}
    return replace(state.with_pulses(pulses), outbox=replace(state.outbox, unposted=()))


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_tick_before_the_deadline_decides_nothing(log: list[Entry], cuts: set[int]) -> None:
    """The deadline is a lower bound: a group that is not due need not even be unpacked."""
    events = read(log, POLICY)
    state = Telling(POLICY).tell(events, cuts)[-1].outcome.state
    if state.deadline == 0:
        return  # due at once: there is no tick before it
    clock = Millis(10**9 if state.deadline is None else state.deadline - 1)
    outcome = step(state, [], at(clock), POLICY, averagely)

    assert read_by(state) == read_by(outcome.state)
    assert () == outcome.decisions
