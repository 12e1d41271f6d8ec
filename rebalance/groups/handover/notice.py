"""Notice: from when on a holder can know that it is to let a queue go.

A step's decisions are published after it, and if the controller dies in between, much later. The
log's clock runs on meanwhile, although no member can read what is not written yet. A holder that
reads late for that reason is in time by its own count, and must not be fenced.

A batch is read only when the one before it has been published, and it holds every record up to that
moment. So the next step shows by when the last one's records were out, late by a batch at most.

Called by ``step``; asked by ``timers`` and ``baton``. Its one rule: no deadline starts before
the member could have been told.
"""

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.ownership import Asked
from rebalance.ids import Millis
from rebalance.stamp import Stamp


def arrive(draft: Draft, now: Stamp) -> None:
    """Note that what the last step asked for is out by now."""
    if None in draft.posted.values():
        draft.posted = {
            epoch: now.heard if at is None else at for epoch, at in draft.posted.items()
        }


def begins(draft: Draft, asked: Asked) -> Millis:
    """Return from when on the deadline of a holder counts."""
    return max(asked.at, draft.posted.get(asked.epoch) or asked.at)


def give(draft: Draft) -> None:
    """Note which releases this step asks for, not published yet; forget those no longer wanted."""
    if not draft.ownership.drawn:
        return
    books, epoch = draft.ownership.merged(), draft.next_epoch
    grants = (grant for queue in books.moving for grant in books[queue].grants)
    asked = {grant.asked.epoch for grant in grants if grant.asked is not None}
    kept = (it for it in sorted(asked) if it == epoch or it in draft.posted)
    draft.posted = {it: draft.posted.get(it) for it in kept}
