"""Notice: from when on a holder can know that it must let a queue go.

A step's decisions are published after it, and if the controller dies in between, much later. The
log's clock runs on meanwhile, although no member can read what is not written yet. A holder that
reads late for that reason is in time by its own count, and must not be fenced.

A batch is read only when the one before it has been published. If it holds every record up to that
moment, the next step shows by when the last one's records were out. If the controller is behind, it
does not; but the clock is behind by no more than the stamp says (``LogClock.ticked``), and that is
added.

A member may miss the record, and read on. It works, and does not know that it must stop, until it
is sent another one: because something has changed, or because its beats show it (``unread``). Then
its deadline starts once more, when that one is out. But a member that never reads what it is told
is fenced as well, after three of these: what was out for long enough was missed for good. While the
controller was away nothing was out, so that does not count.

Called by ``step`` and ``unread``; asked by ``timers`` and ``endings``. Its one rule: no deadline
starts before the member could have been told.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.member import Member
from rebalance.groups.model.ownership import Asked
from rebalance.groups.model.state import GroupState
from rebalance.ids import Life, MemberId, Millis
from rebalance.stamp import Stamp

_HEARTBEATS: Final = 10
"""A member is told again after two heartbeats, four more and eight more, each with the next beat.
The second of these is out by then, and the third one is not: so that one is the last that counts.
Two that are lost in a row are waited for (simulated), more perhaps not."""


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    asked: dict[Life, list[Asked]] | None = None
    """By life, what it was told to give, once asked for."""


def arrive(draft: Draft, now: Stamp) -> None:
    """Note that what the last step asked for is out by now."""
    if None in draft.before.handover.posted.values():
        draft.handover.posted = {
            epoch: Millis(max(now.heard, now.clock + now.behind)) if at is None else at
            for epoch, at in draft.handover.posted.items()
        }


def begins(draft: Draft, asked: Asked) -> Millis:
    """Return from when on the deadline of a holder counts."""
    return max(asked.at, draft.handover.posted.get(asked.epoch) or asked.at)


def tell_again(
    draft: Draft, name: MemberId, member: Member, clock: Millis, *, since: Millis | None
) -> None:
    """Note that a member is sent a record that has not shown that it read the one before.

    That one is out ``since`` then, if it is.
    """
    most = _HEARTBEATS * draft.policy.heartbeat_ms(member.session_timeout_ms)
    for one in _asked(draft).get(member.life(name), ()):
        if (clock if since is None else since) - one.at <= most:
            draft.handover.retold.add(one.epoch)
            draft.handover.posted = {**draft.handover.posted, one.epoch: clock}


def _asked(draft: Draft) -> Mapping[Life, Sequence[Asked]]:
    """By life, what it was told to give before; made once a step, for very many may be told again.

    What it is told to give in this step counts from this step's publication anyway.
    """
    step = draft.scratch(_Step)
    if step.asked is None:
        step.asked = defaultdict(list)
        for owned in map(draft.handover.books.__getitem__, draft.handover.books.moving()):
            if owned.asked is not None:
                step.asked[owned.holder.life].append(owned.asked)
    return step.asked


def give(draft: Draft) -> None:
    """Note which releases this step asks for, not published yet; forget those no longer wanted."""
    if not draft.handover.books.written:
        return
    books, before = draft.handover.books.merged(), draft.before.epoch
    moving = (books[queue].asked for queue in books.moving)
    asked = {it.epoch for it in moving if it is not None}
    kept = (it for it in sorted(asked) if it > before or it in draft.handover.posted)
    draft.handover.posted = {it: draft.handover.posted.get(it) for it in kept}


def sent(draft: Draft, state: GroupState) -> GroupState:
    """Return the state with what this step tells again, which is not out yet."""
    retold, posted = draft.handover.retold, draft.handover.posted
    if not retold:
        return state
    again = {epoch: None if epoch in retold else at for epoch, at in posted.items()}
    handover = replace(state.handover, posted=again)
    return replace(state, handover=handover, deadline=Millis(0))
