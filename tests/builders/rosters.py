"""The roster as tests of it write it."""

from typing import assert_never

from rebalance.groups.members import entry, membership
from rebalance.groups.model.decisions import (
    Decision,
    MemberChange,
    MemberChanged,
)
from rebalance.groups.model.draft import Draft
from rebalance.groups.model.events import BeatSeen, DrainAsked, Joined, Left, MemberEvent
from tests.builders.group import GroupBuilder
from tests.builders.notation import life_text
from tests.builders.records import MemberRecord, at

Told = tuple[str, MemberChange]
"""Of whom what was noted."""


def roster(draft: Draft) -> set[str]:
    """Name the lives in the roster."""
    return {
        life_text(name, member.incarnation) for name, member in draft.membership.members.items()
    }


def changes(notes: list[Decision]) -> list[Told]:
    """List what became of whom."""
    return [
        (life_text(note.member, note.incarnation), note.change)
        for note in notes
        if isinstance(note, MemberChanged)
    ]


def after(group: GroupBuilder, record: MemberRecord, clock: int = 0) -> Draft:
    """Fold one record into a group."""
    draft = group.drafted()
    enter(draft, record(at(clock)))
    return draft


def check_transition(
    group: GroupBuilder, record: MemberRecord, expected: set[str], told: list[Told]
) -> None:
    """Who is in after a record, and what is noted; each member has a pulse."""
    draft = after(group, record)

    assert expected == roster(draft)
    assert told == changes(draft.outbox.notes)
    assert len(expected) == draft.population
    assert {name for name, _ in draft.membership.members.items()} == {
        name for name, _ in draft.membership.pulses.items()
    }


def enter(draft: Draft, event: MemberEvent) -> None:
    """Enter one event of a member in the roster."""
    match event:
        case Joined():
            entry.join(draft, event)
        case BeatSeen():
            membership.beat(draft, event)
        case DrainAsked() | Left():
            membership.go(draft, event)
        case _:
            assert_never(event)
