"""Attribution: which event is the cause of a decision.

A decision may follow from an earlier one: a queue that was asked back when b joined is released
seconds later, when z has joined as well, and it still goes to b because of b. So the cause of a
step is kept for as long as a member has to let go, or to wait, for what the step's records said.

Called by ``step`` and ``conclusion``. Its one rule: what only carries out an earlier decision has
the cause of that one, and no step has a cause that had nothing to do with it.
"""

from collections.abc import Iterator
from dataclasses import replace

from rebalance.causes import Cause
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.ownership import Ownership
from rebalance.ids import Epoch


def last_change(draft: Draft) -> Cause | None:
    """Return what changed the group last, saying how many others it came with."""
    if not draft.outbox.changes:
        return draft.before.outbox.change_cause
    last, others = draft.outbox.changes[-1], len(draft.outbox.changes) - 1
    if others == 0:
        return last
    company = f"with {others} other change{'s' if others > 1 else ''}"
    return replace(last, detail=f"{last.detail}, {company}" if last.detail else company)


def note(draft: Draft) -> None:
    """Find the step's cause, and keep those of whatever is on its way, and of nothing else."""
    draft.outbox.cause_of_step = _of_step(draft)
    if not draft.handover.books.written:
        return
    books, known = draft.handover.books.merged(), dict(draft.handover.asked_causes)
    if draft.outbox.cause_of_step is not None:
        known[draft.next_epoch] = draft.outbox.cause_of_step
    awaited = {epoch for queue in books.moving for epoch in _awaited(books[queue])}
    draft.handover.asked_causes = {epoch: known[epoch] for epoch in sorted(awaited & known.keys())}


def _of_step(draft: Draft) -> Cause | None:
    """Return the cause of what this step decides; a group that nothing ever changed has none."""
    change = last_change(draft)
    if draft.outbox.changes or draft.target.is_new:  # a target may have waited for its time
        return change
    if draft.outbox.other_cause is not None:
        return draft.outbox.other_cause
    if served := draft.handover.served:
        return draft.handover.asked_causes[max(served)]
    return draft.outbox.refused_cause or change


def _awaited(owned: Ownership) -> Iterator[Epoch]:
    if owned.asked is not None:
        yield owned.asked.epoch
    yield from (heir.epoch for heir in owned.heirs)
