"""Departures: members that left for good, while their old records may still arrive.

A join is repeated by its sender, and by the log, and may arrive after the leave that followed it.
Without this list such a join would admit a ghost, which cannot be told from a member until its
session is over (fault F11).

Only members that left by their own word are listed: one that was evicted may be alive, and may come
back. But not within the step that evicts it: it has to be told first, so that it begins a new life.
The old one would not write the mark again that its entry waits for.

Called by ``membership``, asked by ``admission`` and ``adoption``; ``timers`` and ``conclusion``
forget. The list is bounded, in time and in number.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import Joined, Left
from rebalance.groups.model.member import Departure
from rebalance.ids import Life, Millis

REMEMBERED_MS: Final = Millis(300_000)
"""A client gives a record up after two minutes at the latest (Kafka's `delivery.timeout.ms`), and
the controller may be a few minutes late; a record that comes later than that is a new one."""
REMEMBERED: Final = 1_000
"""A fleet that is rolled leaves some hundred names behind. Of more the oldest are forgotten."""


@dataclass(slots=True)
class _Step:
    """What this module keeps for one step."""

    evicted: set[Life] = field(default_factory=set)
    """The lives that were removed."""
    unknown: dict[Life, Left] = field(default_factory=dict)
    """The lives that went, and were no members."""


def note(draft: Draft, event: Left) -> None:
    """Note that a life is over. RocketMQ's clients number nothing, so they are not noted."""
    if event.sequence == 0:
        return
    gone = Departure(event.incarnation, event.sequence, event.stamp.clock)
    draft.membership.departures.put(event.member, gone)


def note_unknown(draft: Draft, event: Left) -> None:
    """Note, for this step, that a life is over whose join was not read."""
    draft.scratch(_Step).unknown.setdefault(event.life, event)  # the first one counts


def of_unknown(draft: Draft) -> Mapping[Life, Left]:
    """Return which lives are over, by their own word in this step, whose joins were not read."""
    return draft.scratch(_Step).unknown


def forget_younger(draft: Draft, life: Life) -> None:
    """A life is there: a younger one that has left under its name was refused."""
    gone = draft.membership.departures.get(life.member)
    if gone is not None and gone.incarnation > life.incarnation:
        draft.membership.departures.remove(life.member)


def note_evicted(draft: Draft, life: Life) -> None:
    """Note, for this step, that a life was removed."""
    draft.scratch(_Step).evicted.add(life)


def is_evicted(draft: Draft, life: Life) -> bool:
    """Tell whether this step removed a life."""
    return life in draft.scratch(_Step).evicted


def precedes(draft: Draft, event: Joined) -> bool:
    """Tell whether a join is of a life that is over, or of an earlier one."""
    if event.marks and is_evicted(draft, event.life):
        return True
    gone = draft.membership.departures.get(event.member)
    if gone is None or event.stamp.clock - gone.at >= REMEMBERED_MS:
        return False
    return (event.incarnation, event.sequence) <= (gone.incarnation, gone.sequence)


def deadlines(draft: Draft) -> Iterator[Millis]:
    """Return when no late record of any of them is expected any more."""
    left = [gone.at for gone in draft.membership.departures.values()]
    if left:
        yield Millis(max(left) + REMEMBERED_MS)


def sweep(draft: Draft) -> None:
    """Drop them all: their deadline has passed."""
    draft.membership.departures.clear()


def forget(draft: Draft, clock: Millis) -> None:
    """Drop those of which no late record is expected any more."""
    if not draft.membership.departures.written:
        return
    known = sorted(draft.membership.departures.items(), key=lambda entry: (-entry[1].at, entry[0]))
    for place, (name, gone) in enumerate(known):
        if place >= REMEMBERED or clock - gone.at >= REMEMBERED_MS:
            draft.membership.departures.remove(name)
    assert len(draft.membership.departures) <= REMEMBERED, "departures are bounded"
