"""The member's side of the baton: what one life of a member may work on, queue by queue.

An assignment says of each queue hold it, give it, or inherit it from a named owner. Three rules
keep this safe when assignments arrive late, twice or not at all:

1. An heir starts on the exact release it was promised (member, incarnation, epoch), or when a later
   record says hold; never on anything else.
2. From the moment a queue is to be given up it is never worked on again under that epoch, whatever
   record still says hold. Epochs of a group only grow, so the highest such epoch is all the memory
   this takes.
3. It is released once the application has said that it stopped, and not before: until then it is
   still "owned" in what the controller is told.

A queue no longer named, or named under another epoch than the one it is worked on, was taken away:
the controller knows better who owns it, so the application must drop it at once (lost).

`tests/laws/test_baton.py` explores this very code. One object lives as long as one incarnation.
It knows no time but the one it is handed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never

from trimtab.protocol import Assignment, GrantRef, QueueRef, Release, ReleaseRef
from trimtab.session.grants import Grant
from trimtab.session.recall import Recall, Source


@dataclass(frozen=True, slots=True)
class Working:
    """The application works on the queue."""

    grant: Grant


@dataclass(frozen=True, slots=True)
class Revoking:
    """The application was told to stop and has not said yet that it did."""

    grant: Grant
    deadline: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The queue is ours as soon as its owner lets go."""

    epoch: int
    source: Source


State = Working | Revoking | Waiting


@dataclass(slots=True)
class Changes:
    """What one input changed, in the order in which the application must hear of it."""

    lost: list[Grant] = field(default_factory=list)
    revoked: list[Grant] = field(default_factory=list)
    assigned: list[Grant] = field(default_factory=list)
    released: list[ReleaseRef] = field(default_factory=list)


class Baton:
    """The queues of one incarnation."""

    def __init__(self, member: str, incarnation: str, recall: Recall) -> None:
        self._me = (member, incarnation)
        self._recall = recall
        self._states: dict[QueueRef, State] = {}
        self._let_go: dict[QueueRef, int] = {}
        """Rule 2: the highest epoch under which each queue was given up."""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to work on, to finish or to wait for."""
        return not self._states

    @property
    def owned(self) -> tuple[GrantRef, ...]:
        """What is worked on or not yet released: what beats say."""
        return tuple(
            GrantRef(*queue, state.grant.token)
            for queue, state in sorted(self._states.items())
            if not isinstance(state, Waiting)
        )

    @property
    def working(self) -> tuple[Grant, ...]:
        """What the application may work on now."""
        return tuple(
            state.grant for _, state in sorted(self._states.items()) if isinstance(state, Working)
        )

    @property
    def revoking(self) -> tuple[Grant, ...]:
        """What the application still has to finish."""
        return tuple(
            state.grant for _, state in sorted(self._states.items()) if isinstance(state, Revoking)
        )

    def owns(self, grant: Grant) -> bool:
        """Whether a grant is worked on, or not yet released."""
        state = self._states.get(grant.queue)
        return isinstance(state, Working | Revoking) and state.grant.token == grant.token

    @property
    def deadline(self) -> int | None:
        """When the first revocation must be finished."""
        states = self._states.values()
        deadlines = (state.deadline for state in states if isinstance(state, Revoking))
        return min(deadlines, default=None)

    def obey(self, record: Assignment, deadline: int) -> Changes:
        """Follow an assignment; what is revoked must be finished by the deadline."""
        changes = Changes()
        named = {row.queue for rows in (record.hold, record.give, record.inherit) for row in rows}
        for queue in self._states.keys() - named:
            self._take_away(queue, changes)
        for row in record.give:
            self._give(row.queue, row.epoch, deadline, changes)
        for row in record.hold:
            if self._is_news(row.queue, row.epoch, changes):
                self._start(Grant(row.queue, row.epoch), changes)
        for heir in record.inherit:
            if self._is_news(heir.queue, heir.epoch, changes):
                source = (heir.from_member, heir.from_incarnation, heir.from_epoch)
                self._states[heir.queue] = Waiting(heir.epoch, source)
                self._start_if_released(heir.queue, changes)
        return changes

    def hear(self, release: Release) -> Changes:
        """Take note of a release: it may be the one waited for."""
        changes = Changes()
        if (release.member, release.incarnation) != self._me:
            self._recall.hear(release)
            for row in release.queues:
                self._start_if_released(row.queue, changes)
        return changes

    def finish(self, positions: Mapping[Grant, int | None]) -> Changes:
        """The application has stopped working under revoked grants: release them."""
        changes = Changes()
        for grant, position in positions.items():
            state = self._states.get(grant.queue)
            # The token tells this grant from one of an earlier life that ends only now.
            if isinstance(state, Revoking) and state.grant.token == grant.token:
                del self._states[grant.queue]
                changes.released.append(ReleaseRef(*grant.queue, grant.token, position))
        return changes

    def revoke_all(self, deadline: int) -> Changes:
        """Give up everything, in good order."""
        changes = Changes()
        for queue, state in sorted(self._states.items()):
            match state:
                case Working(grant):
                    self._give(queue, grant.token, deadline, changes)
                case Waiting(epoch):
                    self._give(queue, epoch, deadline, changes)
                case Revoking():
                    pass
                case _:
                    assert_never(state)
        return changes

    def lose_all(self) -> Changes:
        """Everything is gone at once."""
        changes = Changes()
        for queue in sorted(self._states):
            self._take_away(queue, changes)
        return changes

    def _is_news(self, queue: QueueRef, epoch: int, changes: Changes) -> bool:
        """Whether to act on a grant; what it replaces is dropped first."""
        if epoch <= self._let_go.get(queue, 0):
            return False
        state = self._states.get(queue)
        match state:
            case Working(grant):
                if grant.token == epoch:
                    return False
                self._take_away(queue, changes)
            case Revoking():
                self._take_away(queue, changes)  # of an older epoch: the newest let go is above
            case Waiting() | None:
                pass
            case _:
                assert_never(state)
        return True

    def _give(self, queue: QueueRef, epoch: int, deadline: int, changes: Changes) -> None:
        state = self._states.get(queue)
        if epoch <= self._let_go.get(queue, 0):
            return  # being finished, or released already
        self._let_go[queue] = epoch
        if isinstance(state, Working) and state.grant.token == epoch:
            self._states[queue] = Revoking(state.grant, deadline)
            changes.revoked.append(state.grant)
            return
        if state is not None:
            self._take_away(queue, changes)
        changes.released.append(ReleaseRef(*queue, epoch, None))  # never started: no ceremony

    def _start(self, grant: Grant, changes: Changes) -> None:
        self._states[grant.queue] = Working(grant)
        changes.assigned.append(grant)

    def _start_if_released(self, queue: QueueRef, changes: Changes) -> None:
        state = self._states.get(queue)
        if isinstance(state, Waiting) and self._recall.heard(queue, state.source):
            position = self._recall.position(queue, state.source)
            self._start(Grant(queue, state.epoch, position), changes)

    def _take_away(self, queue: QueueRef, changes: Changes) -> None:
        state = self._states.pop(queue)
        if not isinstance(state, Waiting):
            changes.lost.append(state.grant)
