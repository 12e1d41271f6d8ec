"""Marks: whether a life has shown that it reads the releases, so that it may be promised a queue.

All that stands before its mark was read by the controller, too. A mark and the join of its life
are written at the same moment, on two topics, and either may come first. If both are in one batch,
their order does not matter.

Called by ``step`` for each release, by ``membership`` for beats, and by ``admission``. Its one
rule: of lives that are not members nothing is kept for longer than a step, since anybody may write
in any name.
"""

from dataclasses import dataclass, field, replace

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Released
from rebalance.ids import Life, MemberId


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    read: set[Life] = field(default_factory=set)
    """The lives that have marked, and were not members then."""


def note(draft: Draft, event: Released) -> None:
    """Note that a life reads all releases that come after one of its own (``baton``)."""
    if not event.own:
        return
    member = draft.membership.members.get(event.member)
    if member is None or member.incarnation != event.incarnation:
        draft.scratch(_Step).read.add(event.life)
    elif member.awaits_mark:
        draft.membership.members.put(event.member, replace(member, awaits_mark=False))


def ask(draft: Draft, name: MemberId) -> None:
    """Ask for the mark again, with its join: its member beats, and the mark should have been read.

    A member writes it until it has read it back. Kafka may have lost it since (fault F8).
    """
    member = draft.membership.members[name]
    if member.awaits_mark and not (member.presumed or member.draining):
        draft.membership.members.put(name, replace(member, presumed=True))
        draft.outbox.answered.add(name)
        draft.outbox.touched = True


def awaited(draft: Draft, event: Joined) -> bool:
    """Tell whether the mark of a life that joins is still to come."""
    return event.marks and event.life not in draft.scratch(_Step).read
