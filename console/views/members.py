"""Members: what each has, and what is the matter with it.

The summary says how a member is, its assignment which life it is of. A summary names a thousand
members; the rest are known by their assignments alone.
"""

from collections.abc import Iterable, Mapping

from console.briefs import Brief, BriefMember
from console.views.typed import typed
from trimtab.protocol import Assignment, Group, MemberSummary

Row = dict[str, object]

NARROW = ("group", "member", "state", "hold", "give", "inherit", "heir_of")
WIDE = ("incarnation", "epoch", "session_timeout_ms", "mode")
_TRAITS = ("draining", "away", "held", "resting", "standby", "guarded")
_SAID = {"held": "silent"}
"""What a reader would not guess: an eviction is held because the member is silent."""
_UNKNOWN: Row = {"state": None, "heir_of": None}
"""What an assignment does not say: who is silent may be among those that no summary names."""


def rows(groups: Iterable[Group | Brief]) -> list[Row]:
    """Describe the members that summaries name."""
    return [_row(group.group, person, None) for group in groups for person in group.people]


def cuts(groups: Iterable[Group | Brief]) -> list[str]:
    """Say of which groups these are not all members, and what shows the rest."""
    return [
        f"{it.group}: {len(it.people)} of {it.members} members are shown; the rest: "
        f"`{typed('members list', it.group)}`"
        for it in groups
        if _cut(it)
    ]


def rows_of(group: Group, assignments: Mapping[str, Assignment]) -> list[Row]:
    """Describe all members of one group."""
    people = {it.member: it for it in group.people}
    return [
        _row(group.group, people[name], assignments.get(name))
        if name in people
        else _row(group.group, _counted(assignments[name]), assignments[name]) | _UNKNOWN
        for name in sorted(people.keys() | (assignments.keys() if _cut(group) else set()))
    ]


def _cut(group: Group | Brief) -> bool:
    return group.members > len(group.people)


def _counted(of: Assignment) -> MemberSummary:
    return MemberSummary(
        member=of.member,
        hold=len(of.hold) + len(of.shared or ()),
        give=len(of.give),
        inherit=len(of.inherit),
        draining=False,
    )


def _row(group: str, person: MemberSummary | BriefMember, told: Assignment | None) -> Row:
    traits = [_SAID.get(it, it) for it in _TRAITS if getattr(person, it)]
    return {
        "group": group,
        "member": person.member,
        "state": ", ".join(traits) or "working",
        "hold": person.hold,
        "give": person.give,
        "inherit": person.inherit,
        "heir_of": person.heir_of or 0,
        "incarnation": told.incarnation if told else None,
        "epoch": told.epoch if told else None,
        "session_timeout_ms": told.session_timeout_ms if told else None,
        "mode": told.mode if told else None,
    }
