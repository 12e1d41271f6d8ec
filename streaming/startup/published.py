"""What is published of every group, as its readers see it.

The last record under each key of ``assignments`` and ``groups`` counts; after a tombstone a member
has none. But no member obeyed a record whose epoch was not greater than the last one's: it is that
record again, or from a controller with an old state. So it does not count, unless it is for a
younger life. The last record of a group always stays, because it says how far its epochs got. A
controller that starts writes the copy into the log (``adoption``).

Kept by ``reminder``, and by simulations. Its one rule: what cannot have been published by a
controller is skipped, and reported.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import ValidationError

from trimtab.protocol import (
    ASSIGNMENTS,
    GROUPS,
    Adopt,
    Advance,
    Assignment,
    Group,
    LifeRef,
    MemberKey,
    Record,
    Settings,
    decode,
    read_group_key,
    read_member_key,
)


class Found(NamedTuple):
    """What is to be told of a group."""

    group: str
    record: Record


class _Stand(NamedTuple):
    """What counts of a group's summary; all that was ever used has one."""

    epoch: int
    at_ms: int
    settings: Settings | None
    draining: tuple[str, ...] | None
    """Who drains; None: the summary does not name all that may."""


@dataclass(slots=True)
class PublishedState:
    """What was read so far."""

    start: str
    """Which start of a controller this is."""
    _assignments: dict[MemberKey, Assignment] = field(default_factory=dict)
    _summaries: dict[str, _Stand] = field(default_factory=dict)
    skipped: int = 0
    """Records that no controller can have published."""

    def forget(self) -> None:
        """Begin anew, with nothing read."""
        self._assignments.clear()
        self._summaries.clear()
        self.skipped = 0

    def assignment(self, key: bytes | None, value: bytes | None) -> None:
        """Take a record of ``assignments``.

        Raises:
            UndecodableRecord: It is none.
        """
        name = read_member_key(key)
        self.keep_assignment(name, None if value is None else decode(ASSIGNMENTS, value))

    def keep_assignment(self, name: MemberKey, record: Assignment | None) -> None:
        """Keep a member's assignment if they count; None is a tombstone."""
        known = self._assignments.get(name)
        if record is None:
            self._assignments.pop(name, None)
        elif known is None or known.epoch < record.epoch or known.incarnation < record.incarnation:
            self._assignments[name] = record

    def summary(self, key: bytes | None, value: bytes | None) -> None:
        """Take a record of ``groups``; a tombstone, which only a person can write, says nothing.

        Raises:
            UndecodableRecord: It is none.
        """
        group = read_group_key(key)
        if value is not None:
            self.keep_summary(group, decode(GROUPS, value))

    def keep_summary(self, group: str, record: Group) -> None:
        """Keep a group's summary if it counts."""
        known = self._summaries.get(group)
        if known is None or known.epoch <= record.epoch:
            settings, draining = _settings_of(record), _draining(record)
            self._summaries[group] = _Stand(record.epoch, record.at_ms, settings, draining)

    def found(self) -> Iterator[Found]:
        """Return what there is to tell; each says how many there are for its group.

        Lives are counted, and not keys: a life may stand under two, its name and its own, if the
        rule about twins has changed.
        """
        told = [it for entry in self._summaries.items() for it in self._checked(*entry)]
        for name, assignment in self._assignments.items():
            told += self._checked(name.group, assignment)
        counts = Counter(group for group, _ in {(it.group, _life(it.record)) for it in told})
        for group, record in told:
            yield Found(group, record.model_copy(update={"of": counts[group]}))

    def _checked(self, group: str, record: Assignment | _Stand) -> Iterator[Found]:
        try:
            yield Found(group, self._found(record))
        except ValidationError:
            self.skipped += 1

    def _found(self, record: Assignment | _Stand) -> Adopt | Advance:
        if isinstance(record, _Stand):
            return Advance(
                start=self.start,
                epoch=record.epoch,
                decided_ms=record.at_ms,
                settings=record.settings,
                draining=record.draining,
            )
        return found_of(record, self.start)


def _settings_of(summary: Group) -> Settings | None:
    """Return what operators have set for the group; None: nothing."""
    settings = Settings(
        paused=summary.paused,
        paused_until_ms=summary.paused_until_ms,
        own_strategy=summary.own_strategy,
        overrides=summary.overrides,
        popped=tuple(name for name, topic in summary.topics.items() if topic.popped),
    )
    return None if settings == Settings() else settings


def _draining(summary: Group) -> tuple[str, ...] | None:
    if summary.unnamed:
        return None
    return tuple(person.member for person in summary.people if person.draining)


def _life(record: Record) -> LifeRef | None:
    """Return whom a found record is about; None: the group."""
    return LifeRef(record.member, record.incarnation) if isinstance(record, Adopt) else None


def found_of(assignment: Assignment, start: str) -> Adopt:
    """Make the record of a member's assignment; what only the member needs is left out."""
    return Adopt(
        start=start,
        epoch=assignment.epoch,
        member=assignment.member,
        incarnation=assignment.incarnation,
        hold=assignment.hold,
        give=assignment.give,
        inherit=assignment.inherit,
        revocation_timeout_ms=assignment.revocation_timeout_ms,
        session_timeout_ms=assignment.session_timeout_ms,
        mode=assignment.mode,
        shared=assignment.shared,
    )
