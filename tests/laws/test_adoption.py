"""Laws of adoption: what was published is enough to go on from, whatever the log says."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from rebalance.groups import adoption
from rebalance.groups.model.decisions import AssignmentIssued, AssignmentWithdrawn, Decision
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Found, Mode
from rebalance.groups.model.ownership import Asked, Ownership
from rebalance.groups.model.policy import Policy
from rebalance.groups.model.state import GroupState
from rebalance.ids import Epoch, GroupName, MemberId, Millis, Queue
from rebalance.stamp import Stamp
from tests.builders.effort import tried
from tests.builders.records import advanced, at, found
from tests.laws.logs import (
    COMMANDED_LOGS,
    CUTS,
    GAPS,
    GOINGS,
    JOINS,
    OBEYING,
    PRELUDE,
    ROUTES,
    Entry,
    Telling,
    Told,
    freed,
    is_spared,
    read,
)
from tests.laws.rarities import (
    BACK_IN_ONE_LIFE,
    EACH,
    EPOCHS_ALIKE,
    HEARD_AND_AWAY,
    SILENT_AND_SUCCEEDED,
)

POLICY = Policy(heartbeat_auto=True)
LATER = at(10**7, 10**6)
"""When the controller starts again."""

Records = dict[MemberId, AssignmentIssued]


def published(records: Records, decisions: Iterable[Decision]) -> Records:
    """What stands under each key, once these decisions were written."""
    after = dict(records)
    for decision in decisions:
        if isinstance(decision, AssignmentIssued):
            after[decision.member] = decision
        elif isinstance(decision, AssignmentWithdrawn):
            after.pop(decision.member, None)
    return after


def all_published(told: Sequence[Told]) -> Records:
    """What stands published in the end."""
    return published({}, (it for each in told for it in each.outcome.decisions))


def finds(records: Records, epoch: Epoch, now: Stamp = LATER) -> list[Found]:
    """What the driver puts into the log."""
    return [
        advanced(epoch, decided=now.appended)(now),
        *(found(issued)(now) for issued in records.values()),
    ]


def adopted(records: Records, epoch: Epoch, before: GroupState | None = None) -> Draft:
    """Adopt what is published, with nothing else in mind."""
    state, events = before or GroupState(GroupName("g")), finds(records, epoch)
    news = adoption.published(state, events)
    assert news is not None, "nothing new"
    draft = Draft(replace(state, epoch=news.epoch), POLICY)
    adoption.adopt(draft, news, events, events[-1].stamp)
    return draft


def timeless(page: Ownership) -> Ownership:
    """A page without what no record says of it.

    When and by which record its members were told, how its holder began, which heirs had ended, and
    whom the controller has named for a holder that has: no record says either that it has ended.
    """
    asked = None if page.asked is None else Asked(Epoch(0), Millis(0))
    named = page.named if page.over is None else None
    return replace(page, asked=asked, over=None, former=(), begun=True, named=named)


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_books_can_be_read_off_the_records(log: list[Entry], cuts: set[int]) -> None:
    """Whatever state is lost, its books are the same again, grant by grant.

    But for queues of holders that have ended, and were to name nobody: no record says anything.
    """
    told = Telling(POLICY).tell(read(log, POLICY), cuts)
    lost = told[-1].outcome.state
    draft = adopted(all_published(told), Epoch(lost.epoch))

    books = lost.handover.books.items()
    pages = {queue: timeless(page) for queue, page in books if page.over is None or page.heirs}
    over = {queue for queue, page in books if page.over is not None}
    assert pages == {
        queue: timeless(replace(page, named=None) if queue in over else page)
        for queue, page in draft.handover.books.items()
    }
    assert lost.membership.members.keys() >= draft.membership.members.merged().keys()


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS, st.integers(0, 12))
@example(EPOCHS_ALIKE, EACH, 2)
def test_whoever_may_be_working_stays_in_the_books(
    log: list[Entry], cuts: set[int], written: int
) -> None:
    """Some of the last batch's records were not written: no grant is lost that anybody knows of.

    Who works on what all work on knows of no grant.
    """
    *past, last = Telling(POLICY).tell(read(log, POLICY), cuts)
    records = published(all_published(past), last.outcome.decisions[:written])
    if not records:
        return
    draft = adopted(records, last.outcome.state.epoch)

    known = {
        (queue, issued.member, issued.incarnation, epoch)
        for issued in records.values()
        if issued.mode is Mode.CLUSTERING
        for queue, epoch in _named(issued)
    }
    for queue, page in last.outcome.state.handover.books.items():
        now = _grants(queue, draft.handover.books.get(queue))
        assert known & _grants(queue, page) <= now
    for page in draft.handover.books.merged().values():
        assert page.named is None or page.named in {heir.epoch for heir in page.heirs}


def _named(issued: AssignmentIssued) -> list[tuple[Queue, Epoch]]:
    portion = issued.portion
    heirs = [(it.queue, it.epoch) for it in portion.inherit]
    return [*((it.queue, it.epoch) for it in portion.hold + portion.give), *heirs]


def _grants(queue: Queue, page: Ownership | None) -> set[tuple[object, ...]]:
    grants = () if page is None else page.grants
    return {(queue, it.member, it.incarnation, it.epoch) for it in grants}


@tried(one_in=4)
@given(COMMANDED_LOGS, CUTS)
def test_who_remembers_adopts_nothing(log: list[Entry], cuts: set[int]) -> None:
    """After an ordinary restart what is published is no news."""
    told = Telling(POLICY).tell(read(log, POLICY), cuts)
    state = told[-1].outcome.state

    assert adoption.published(state, finds(all_published(told), state.epoch)) is None


HONEST = st.lists(st.tuples(GAPS, st.one_of(JOINS, OBEYING, ROUTES, GOINGS)), max_size=12)
"""Nobody claims to have read what is yet to be written."""


@tried(one_in=4)
@given(HONEST.map(PRELUDE.__add__), CUTS)
@example(HEARD_AND_AWAY, {7})
@example(BACK_IN_ONE_LIFE, {6})
@example(SILENT_AND_SUCCEEDED, {1, 2, 3, 7})
def test_nothing_moves_for_a_lost_state(log: list[Entry], cuts: set[int]) -> None:
    """The log is read again and what is published is adopted: all goes on as it would have.

    What it wrote for lives that have ended stands in the log, too, and nobody has read it yet.
    """
    telling, events = Telling(POLICY), read(log, POLICY)
    told = telling.tell(events, cuts)
    lost, past = told[-1].outcome.state, [event for each in told for event in each.batch]
    unread = freed(lost, events[-1].stamp)
    present = finds(all_published(told), lost.epoch, events[-1].stamp)
    again = telling.step(GroupState(lost.name), [*past, *unread, *present]).state
    remembering = telling.step(lost, unread).state if unread else lost

    assert lost.epoch + 2 == again.epoch  # one is left out
    assert lost.membership.members.keys() == again.membership.members.keys()
    if not is_spared(lost):
        assert owners(remembering) == owners(again)


def owners(state: GroupState) -> dict[Queue, MemberId]:
    """Who holds each queue; who has ended holds none, though its release is to be read yet."""
    pages = state.handover.books.items()
    return {queue: page.holder.member for queue, page in pages if page.over is None}
