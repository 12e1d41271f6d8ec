"""Notice: since when a holder can know that it is to let go.

A letter that gives notice counts from the day on which it was surely posted, not from the one it is
dated. What a step decides is published after it, and if the controller dies in between, long after
it: the log's clock then runs on while nobody can read what nobody has written. A holder that reads
late for that reason is in time by its own count, and must not be fenced by ours.

A batch is read only when the one before it has been published, and it holds every record up to
that moment; so the next step shows by when the last one's records were out. That is later than
need be by a batch at most.

Called by ``step``; asked by ``timers`` and ``handover``. Its one rule: nobody's time begins before
it could have been told.
"""

from rebalance.draft import Draft
from rebalance.events import Stamp
from rebalance.group import Asked
from rebalance.ids import Millis


def arrive(draft: Draft, now: Stamp) -> None:
    """Note that what the last step asked for is out by now."""
    if None in draft.posted.values():
        draft.posted = {
            epoch: now.heard if at is None else at for epoch, at in draft.posted.items()
        }


def begins(draft: Draft, asked: Asked) -> Millis:
    """Return when the time of whoever was asked begins."""
    return max(asked.at, draft.posted.get(asked.epoch) or asked.at)


def give(draft: Draft) -> None:
    """Note what this step asks for, which is not out yet; forget what nobody is asked for now."""
    if not draft.ownership.drawn:
        return
    books, epoch = draft.ownership.merged(), draft.next_epoch
    grants = (grant for queue in books.moving for grant in books[queue].grants)
    asked = {grant.asked.epoch for grant in grants if grant.asked is not None}
    kept = (it for it in sorted(asked) if it == epoch or it in draft.posted)
    draft.posted = {it: draft.posted.get(it) for it in kept}
