"""Strangers: lives that hold a queue by a release, and are no members.

A release may name a life whose join was not read yet, or was refused. It works, and is not fenced
as a member is. So it is heard here: by its beats, and by its joins, of which the next one lets it
in: who named it has seen that the older life of its name goes. If it is silent for the longest
session that there is, or has left, or asks for what it cannot have, or a younger life of its member
is let in, it ends.

Called by ``endings``, which meets them, by ``membership`` and ``entry``, which hear them, and by
``timers``. Its one rule: whoever may be working is succeeded only by a release in the log.
"""

from collections.abc import Iterator
from dataclasses import replace

from rebalance.causes import Cause, CauseKind
from rebalance.groups.model.decisions import Ending
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.ownership import Asked
from rebalance.ids import Incarnation, Life, MemberId, Millis
from rebalance.stamp import Stamp


def note(draft: Draft, life: Life, stamp: Stamp) -> None:
    """Note that a life that is no member holds a queue."""
    draft.handover.strangers[life] = stamp.heard
    draft.expect_by(_until(draft, stamp.heard))


def hear(draft: Draft, life: Life, stamp: Stamp) -> None:
    """Hear a life that is no member."""
    if draft.handover.strangers.get(life, stamp.heard) < stamp.heard:
        draft.handover.strangers[life] = stamp.heard


def begin(draft: Draft, now: Stamp) -> None:
    """Take all of them as heard just now: a controller starts."""
    for life, at in draft.handover.strangers.items():
        draft.handover.strangers[life] = max(at, now.heard)


def admit(draft: Draft, name: MemberId, incarnation: Incarnation, stamp: Stamp) -> None:
    """Forget a life that is a member now; all older ones of its name have ended.

    What it is to give it is told only now: its time for that begins.
    """
    for life in [it for it in draft.handover.strangers if it.member == name]:
        if life.incarnation < incarnation:
            end(draft, life, stamp, CauseKind.REJOIN, "a younger life was let in")
        elif life.incarnation == incarnation:
            del draft.handover.strangers[life]
            _ask_anew(draft, life, stamp)


def _ask_anew(draft: Draft, life: Life, stamp: Stamp) -> None:
    books, asked = draft.handover.books, Asked(draft.next_epoch, stamp.heard)
    for queue in books.concerning({life.member}):
        page = books[queue]
        if page.holder.life == life and page.moves and page.ending is None:
            books.put(queue, replace(page, asked=asked))


def end(draft: Draft, life: Life, stamp: Stamp, kind: CauseKind, why: str) -> None:
    """A life has ended, if it is a stranger; whatever it had goes on for that reason."""
    if life not in draft.handover.strangers:
        return
    del draft.handover.strangers[life]
    books = draft.handover.books
    if any(books[queue].holder.life == life for queue in books.concerning({life.member})):
        draft.ended[life] = Ending.LEFT if kind is CauseKind.LEAVE else Ending.FENCED
        draft.outbox.touched = True
        draft.outbox.other_cause = Cause(kind, life.member, stamp.position, why)
        _ask_anew(draft, life, stamp)


def expire(draft: Draft, stamp: Stamp) -> None:
    """End those that have been silent for too long."""
    for life, heard in list(draft.handover.strangers.items()):
        if stamp.clock >= _until(draft, heard):
            draft.heard[life] = heard
            why = f"no member, silent for {stamp.clock - heard} ms"
            end(draft, life, stamp, CauseKind.EXPIRY, why)


def deadlines(draft: Draft) -> Iterator[Millis]:
    """Return until when each may be silent."""
    for heard in draft.handover.strangers.values():
        yield _until(draft, heard)


def _until(draft: Draft, heard: Millis) -> Millis:
    """Return until when one may be silent: it was not told yet that the group's own is shorter."""
    policies = draft.policy, draft.general
    return Millis(heard + max(it.silence_ms(it.session_timeout_ms_max) for it in policies))
