"""The end of a step: when an epoch is drawn, who is sent a record, and what history tells."""

from dataclasses import replace

import pytest

from rebalance.causes import Cause, CauseKind
from rebalance.groups.conclusion import conclude
from rebalance.groups.handover import notice
from rebalance.groups.model.decisions import (
    AssignmentIssued,
    AssignmentWithdrawn,
    Decision,
    Ending,
    HandedOver,
    Rebalanced,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Pulse
from rebalance.groups.model.outbox import Passage
from rebalance.groups.model.overview import GroupSummarised
from rebalance.ids import Epoch, MemberId, Millis
from tests.builders.group import a_group
from tests.builders.notation import page, queue
from tests.builders.records import at
from tests.builders.story import only

A, B = MemberId("a"), MemberId("b")
NOW = at(50, offset=9)
CHANGE = Cause(CauseKind.ROUTE, "orders", NOW.position)
BOOKS = (
    a_group()
    .with_member("a")
    .with_member("b")
    .with_route("orders", 2)
    .with_page("orders-0", "a@3")
    .with_page("orders-1", "a@3")
    .at_epoch(4)
)


def drafted(*, page_of_1: str | None = None, change: bool = False) -> Draft:
    """Begin with the books, perhaps with a new page of orders-1 or a change of the group."""
    draft = BOOKS.drafted()
    if page_of_1 is not None:
        owned = page(page_of_1)
        assert owned is not None, "pages are removed by the hand-over"
        draft.handover.books.put(queue("orders-1"), owned)
    if change:
        draft.outbox.changes.append(CHANGE)
        draft.target.is_new = True
    return draft


def readers(decisions: tuple[Decision, ...]) -> dict[str, int]:
    """Name who is sent a record, and its epoch."""
    return {issued.member: issued.epoch for issued in only(AssignmentIssued, decisions)}


def test_nothing_changed_nothing_published() -> None:
    """A batch that decides nothing draws no epoch and publishes no record (I14)."""
    step = conclude(drafted(), 0, NOW)

    assert BOOKS.state == step.state
    assert () == step.decisions


@pytest.mark.parametrize(
    ("draft", "epochs", "sent"),
    [
        (drafted(page_of_1="a@3!5 > b@5"), (5, 4, 4), {"a": 5, "b": 5}),
        (drafted(page_of_1="b@4"), (5, 4, 4), {"a": 5, "b": 5}),
        (drafted(change=True), (5, 5, 5), {}),
        (drafted(page_of_1="a@3!5", change=True), (5, 5, 5), {"a": 5}),
    ],
    ids=["hand-over", "release", "change without moves", "both"],
)
def test_each_deciding_batch_draws_one_epoch(
    draft: Draft, epochs: tuple[int, int, int], sent: dict[str, int]
) -> None:
    """A change of the group moves all three epochs, a step of the hand-over only the first."""
    step = conclude(draft, 0, NOW)
    state = step.state

    assert epochs == (state.epoch, state.group_epoch, state.target.epoch)
    assert sent == readers(step.decisions)


def test_member_that_asked_is_answered_at_the_present_epoch() -> None:
    """An answer that says nothing new costs no epoch; the others are sent nothing."""
    draft = drafted()
    draft.outbox.answered.add(A)
    step = conclude(draft, 0, NOW)

    back = step.state.with_pulses(BOOKS.state.membership.pulses)
    assert BOOKS.state == replace(back, outbox=replace(back.outbox, unposted=()))
    assert {"a": 4} == readers(step.decisions)
    assert (A,) == step.state.outbox.unposted


def test_same_state_gives_the_same_record() -> None:
    """Whoever asks again at the same epoch reads the same bytes (I4)."""
    answers = []
    for _ in range(2):
        draft = drafted()
        draft.outbox.answered.add(A)
        answers.append(conclude(draft, 0, NOW).decisions)

    assert answers[0] == answers[1]


def test_stranger_is_told_once_a_batch_and_costs_no_epoch() -> None:
    """Withdrawals are for those that are not in; whoever came back meanwhile has a record."""
    draft = drafted()
    draft.outbox.gone |= {MemberId("y"), MemberId("x"), A}
    step = conclude(draft, 0, NOW)
    told = [withdrawn.member for withdrawn in only(AssignmentWithdrawn, step.decisions)]

    assert ["x", "y"] == told
    assert BOOKS.state == step.state


def test_record_tells_the_member_its_timeouts() -> None:
    """What was granted is told: sessions, time to let go, and beats that fit the session."""
    draft = a_group().with_member("a", session_ms=1_500, revocation_ms=700).at_epoch(4).drafted()
    draft.outbox.answered.add(A)
    issued = only(AssignmentIssued, conclude(draft, 0, NOW).decisions)[0]

    assert (1_500, 700, 500) == (
        issued.session_timeout_ms,
        issued.revocation_timeout_ms,
        issued.heartbeat_interval_ms,
    )


def test_cause_is_the_last_change_and_counts_its_company() -> None:
    """One record names one event, and says how many others it came with."""
    details = []
    for others in range(3):
        draft = drafted()
        joins = [Cause(CauseKind.JOIN, f"m{each}", NOW.position) for each in range(others)]
        draft.outbox.changes = [*joins, replace(CHANGE, detail="2 queues")]
        cause = conclude(draft, 0, NOW).state.outbox.change_cause
        details.append(cause.detail if cause else "")

    assert [
        "2 queues",
        "2 queues, with 1 other change",
        "2 queues, with 2 other changes",
    ] == details


def test_history_tells_of_the_new_target() -> None:
    """Every rebalance is told with its epochs, its moves and its size."""
    told = only(Rebalanced, conclude(drafted(change=True), 1, NOW).decisions)

    assert [
        Rebalanced(
            group=BOOKS.state.name,
            epoch_before=Epoch(4),
            epoch_after=Epoch(5),
            moves=1,
            members=2,
            queues=2,
            at=Millis(50),
            cause=CHANGE,
        )
    ] == told


def test_history_tells_of_every_passage() -> None:
    """Queues that went the same way in one batch are one entry, in order."""
    draft = drafted(page_of_1="b@5", change=True)
    draft.outbox.passages[A, B, Epoch(5), Ending.RELEASED, None] = Passage(
        [queue("orders-1"), queue("orders-0")], Millis(120), Millis(7)
    )
    told = only(HandedOver, conclude(draft, 0, NOW).decisions)

    assert [
        HandedOver(
            group=BOOKS.state.name,
            from_member=A,
            to_member=B,
            queues=(queue("orders-0"), queue("orders-1")),
            duration_ms=Millis(120),
            idle_ms=Millis(7),
            epoch=Epoch(5),
            ending=Ending.RELEASED,
            at=Millis(50),
            cause=CHANGE,
        )
    ] == told


def test_summary_comes_last_and_only_with_a_new_epoch() -> None:
    """Readers of the summary see the state that all the other records led to."""
    decisions = conclude(drafted(page_of_1="b@4"), 0, NOW).decisions

    assert isinstance(decisions[-1], GroupSummarised)
    assert 1 == len(only(GroupSummarised, decisions))


def test_deadline_is_exact_after_a_decision() -> None:
    """What was decided may have brought a new deadline: a queue to be let go."""
    deadlines = []
    for written in ("a@3!4", "a@3!5"):  # the second is of this step: the next shows when it was out
        draft = drafted(page_of_1=written)
        draft.membership.members.put(
            A, replace(BOOKS.state.membership.members[A], revocation_timeout_ms=Millis(1_000))
        )
        for name in BOOKS.state.membership.pulses:
            draft.membership.pulses.put(name, Pulse(Millis(60_000), sequence=0))
        notice.give(draft)
        deadlines.append(conclude(draft, 0, NOW).state.deadline)

    assert [10_800, 0] == deadlines
