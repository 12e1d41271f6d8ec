"""A selection: members of a group by their rack or instance, as they named it when they joined.

Joins are kept for a week. Called by the commands to members. Its one rule: a member whose join is
gone is never silently left out: it is named, and may be of the rack or not.
"""

from dataclasses import dataclass

from console.errors import ExitCode, Failure
from console.planning.known import Known, life_of
from console.views.sentences import several


@dataclass(frozen=True, slots=True)
class Place:
    """What members have in common."""

    rack: str | None = None
    instance: str | None = None

    @property
    def kind(self) -> str:
        """What it is."""
        return "rack" if self.instance is None else "instance"

    @property
    def name(self) -> str | None:
        """Which one it is."""
        return self.rack if self.instance is None else self.instance

    def __str__(self) -> str:
        """Call it as people do."""
        return f"{self.kind} {self.name}"


def selected(known: Known, place: Place) -> tuple[list[str], list[str]]:
    """Return the members of a place in order of names, and those of which nobody knows it.

    Raises:
        Failure: There are none; what there is, is said.
    """
    places: dict[str, str | None] = {}
    unknown: list[str] = []
    for told in known.assignments:
        join = known.joins.get(life_of(told))
        if join is None:
            unknown.append(told.member)
        else:
            places[told.member] = join.rack if place.kind == "rack" else join.instance
    members = sorted(member for member, it in places.items() if it == place.name)
    if not members:
        there = sorted({it for it in places.values() if it is not None})
        hint = f"there is {several(there)}" if there else f"no member has said its {place.kind}"
        group = known.summary.group
        raise Failure(f"no member of {group} is of {place}; {hint}", ExitCode.NOT_FOUND)
    return members, sorted(unknown)
