"""The membership: who is in the group, and what is known of each.

Written by ``members``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rebalance.groups.model.member import Departure, Flaps, Member, Pulse
from rebalance.groups.model.overlay import Overlay
from rebalance.groups.model.roster import DraftedRoster
from rebalance.ids import MemberId, Millis


@dataclass(frozen=True, slots=True)
class Membership:
    """Who is in the group."""

    members: Mapping[MemberId, Member] = field(default_factory=dict)
    """What each said of itself when it joined."""
    pulses: Mapping[MemberId, Pulse] = field(default_factory=dict)
    """What each beat changes. Invariant: the same keys as ``members``."""
    suspected: Mapping[MemberId, Millis] = field(default_factory=dict)
    """Whose eviction waits, and until when (``mass_silence``). Invariant: members only."""
    flaps: Mapping[str, Flaps] = field(default_factory=dict)
    """How often each came and went: by instance or, without one, by member; present and gone
    (``flapping``). Invariant: no more than the policy allows members, or allowed when they were
    entered."""
    departures: Mapping[MemberId, Departure] = field(default_factory=dict)
    """Who has left lately (``departures``). Invariant: no more than that module remembers."""
    empty_since: Millis | None = None
    """Since when the group is empty, on the log clock (``remains``); None: it is not, or all that
    was left of it is dropped. Invariant: None while there are members."""


class MembershipDraft:
    """The membership in the middle of a step."""

    __slots__ = (
        "departures",
        "empty_since",
        "flaps",
        "members",
        "pulses",
        "suspected",
        "unsure",
    )

    def __init__(self, before: Membership) -> None:
        """Open it."""
        self.members = DraftedRoster(before.members)
        self.pulses: Overlay[MemberId, Pulse] = Overlay(before.pulses)
        self.suspected: Overlay[MemberId, Millis] = Overlay(before.suspected)
        self.flaps: Overlay[str, Flaps] = Overlay(before.flaps)
        self.departures: Overlay[MemberId, Departure] = Overlay(before.departures)
        self.empty_since = before.empty_since
        self.unsure: set[MemberId] = set()
        """Members that joined by a record with a wrong time; their first beat shows when it was."""

    def closed(self) -> Membership:
        """Return the membership as it is now."""
        self._check()
        return Membership(
            self.members.merged(),
            self.pulses.merged(),
            self.suspected.merged(),
            self.flaps.merged(),
            self.departures.merged(),
            self.empty_since,
        )

    def _check(self) -> None:
        members, pulses = self.members, self.pulses
        assert len(members) == len(pulses), "each member has one pulse"
        for name in members.written:
            there = members.get(name) is not None
            assert there == (pulses.get(name) is not None), f"{name} has no pulse, or is no member"
            assert there or self.suspected.get(name) is None, f"{name} is suspected, and no member"
        for name in self.suspected.written:
            known = self.suspected.get(name) is None or members.get(name) is not None
            assert known, f"{name} is suspected, and no member"
        assert not members or self.empty_since is None, "a group with members is not empty"
