"""The member's side of the baton: what one life of a member may work on, queue by queue.

An assignment says of each queue hold it, give it, or inherit it from a named owner. A release names
the one grant that comes next, and the first release of a grant in the log counts. Three rules keep
this safe when assignments arrive late, twice or not at all:

1. An heir starts when the first release of exactly its source (member, incarnation, epoch) names
   its own epoch, or when a record says hold. A life that such a release names starts as well, even
   if no record promised it the queue. Nothing else starts anybody: several members may be promised
   the same queue, and a release that names another, or nobody, changes nothing for the rest. An
   heir that is no longer named forgets, and says nothing.
2. A grant that is to be given up, or was released, is never worked on again, whatever record still
   says hold, and whoever wrote the release. Epochs of a group only grow, so the highest such epoch
   of a queue is all the memory this takes.
3. It is released once the application has said that it stopped, and not before: until then it is
   still "owned" in what the controller is told. Whom the release names, `nominee` says.

A queue no longer named, or named under another epoch than the one it is worked on, was taken away,
and so was one that somebody else has released: the application must drop it at once (lost). But the
first record after a release has begun it may be older than that release; so the second one counts.

`tests/laws/test_baton.py` explores this very code. One object lives as long as one incarnation.
It knows no time but the one it is handed.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from trimtab.protocol import (
    Assignment,
    GrantRef,
    HolderRef,
    InheritRef,
    LifeRef,
    QueueRef,
    Release,
    ReleaseRef,
)
from trimtab.session.duty import Duty, Revoking, Waiting, Working, epoch_of, outlook_of
from trimtab.session.grants import Grant
from trimtab.session.nominee import UNTOLD, Outlook, named
from trimtab.session.recall import Recall, Source


@dataclass(slots=True)
class Changes:
    """What one input changed, in the order in which the application must hear of it."""

    lost: list[Grant] = field(default_factory=list)
    revoked: list[Grant] = field(default_factory=list)
    assigned: list[Grant] = field(default_factory=list)
    released: list[ReleaseRef] = field(default_factory=list)


class Baton:
    """The queues of one incarnation."""

    def __init__(self, life: LifeRef, recall: Recall, subscribes: Callable[[str], bool]) -> None:
        self._me = life
        self._recall = recall
        self.subscribes = subscribes
        """Whether a topic is wanted."""
        self._states: dict[QueueRef, Duty] = {}
        self._let_go: dict[QueueRef, int] = {}
        """Rule 2: the highest epoch under which each queue was given up, or released."""

    @property
    def idle(self) -> bool:
        """Whether there is nothing to work on or to finish. To wait for a queue binds nobody."""
        return all(isinstance(state, Waiting) for state in self._states.values())

    @property
    def owned(self) -> tuple[GrantRef, ...]:
        """What is worked on or not yet released: what beats say."""
        return tuple(
            GrantRef(*queue, state.grant.token)
            for queue, state in sorted(self._states.items())
            if not isinstance(state, Waiting)
        )

    @property
    def holdings(self) -> tuple[HolderRef, ...]:
        """The same, each with whom its release would name."""
        return tuple(
            HolderRef(*queue, state.grant.token, *self._named(state))
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
    def revoking(self) -> dict[Grant, int]:
        """What the application still has to finish, and by when."""
        states = [state for _, state in sorted(self._states.items())]
        return {state.grant: state.deadline for state in states if isinstance(state, Revoking)}

    @property
    def promised(self) -> tuple[QueueRef, ...]:
        """What may come next, as an heir."""
        states = self._states.items()
        return tuple(queue for queue, state in states if isinstance(state, Waiting))

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
        for queue in sorted(self._states.keys() - named):  # vectors compare: no order by chance
            if not self._is_spared(queue):
                self._take_away(queue, changes)
        for row in record.give:
            self._give(row, deadline, changes)
        for row in record.hold:
            if self._is_news(row.queue, row.epoch, changes):
                self._start(Grant(row.queue, row.epoch), outlook_of(row), changes)
            else:
                self._remember_next(row)
        for heir in record.inherit:
            if not self._is_begun(heir) and self._is_news(heir.queue, heir.epoch, changes):
                source = Source(heir.from_member, heir.from_incarnation, heir.from_epoch)
                self._states[heir.queue] = Waiting(heir.epoch, source)
                self._start_if_named(heir.queue, changes)
        return changes

    def hear(self, release: Release) -> Changes:
        """Take note of a release: it may name us, or end a grant of ours."""
        changes = Changes()
        self._recall.hear(release)
        source = release.life
        for row in release.queues:
            if source == self._me:
                self._end(row.queue, row.epoch, changes)
            if row.to == self._me:
                self._start_by_name(row.queue, Source(*source, row.epoch), changes)
            self._start_if_named(row.queue, changes)
        return changes

    def finish(self, positions: Mapping[Grant, int | None]) -> Changes:
        """The application has stopped working under revoked grants: release them."""
        changes = Changes()
        for grant, position in positions.items():
            state = self._states.get(grant.queue)
            # The token tells this grant from one of an earlier life that ends only now.
            if isinstance(state, Revoking) and state.grant.token == grant.token:
                del self._states[grant.queue]
                row = ReleaseRef(*grant.queue, grant.token, position, *self._named(state))
                changes.released.append(row)
        return changes

    def hand_on(self, deadline: int) -> Changes:
        """Give up, in good order, what has somebody who comes next."""
        changes = Changes()
        for queue, state in sorted(self._states.items()):
            if isinstance(state, Working) and self._named(state) != (None, None):
                self._revoke(queue, state, deadline, changes)
        return changes

    def revoke_all(self, deadline: int, *, keep: bool = False) -> Changes:
        """Give up everything, in good order; to nobody, if the queues are to be kept for us."""
        changes = Changes()
        for queue, state in sorted(self._states.items()):
            match state:
                case Working():
                    going = replace(state, outlook=UNTOLD) if keep else state
                    self._revoke(queue, going, deadline, changes)
                case Waiting():
                    del self._states[queue]
                case Revoking():
                    pass  # its heir was told
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

    def _is_begun(self, heir: InheritRef) -> bool:
        """Whether a release has begun this under another epoch than a record promises."""
        state = self._states.get(heir.queue)
        return state is not None and epoch_of(state) != heir.epoch and self._is_spared(heir.queue)

    def _is_spared(self, queue: QueueRef) -> bool:
        """Whether a record may be older than the release that has begun a grant; once for each."""
        state = self._states[queue]
        if not isinstance(state, Working) or state.outlook.source is None or state.doubted:
            return False
        self._states[queue] = replace(state, doubted=True)
        return True

    def _give(self, row: HolderRef, deadline: int, changes: Changes) -> None:
        queue, epoch = row.queue, row.epoch
        if epoch <= self._let_go.get(queue, 0):
            self._remember_next(row)  # being finished, or released already
            return
        state = self._states.get(queue)
        if isinstance(state, Working) and state.grant.token == epoch:
            self._revoke(queue, replace(state, outlook=outlook_of(row)), deadline, changes)
            return
        self._end(queue, epoch, changes)
        # Granted by a record that was skipped, so never started: no ceremony.
        skipped = Working(Grant(queue, epoch), outlook_of(row))
        changes.released.append(ReleaseRef(*queue, epoch, None, *self._named(skipped)))

    def _remember_next(self, row: HolderRef) -> None:
        state = self._states.get(row.queue)
        if isinstance(state, Working | Revoking) and state.grant.token == row.epoch:
            self._states[row.queue] = replace(state, outlook=outlook_of(row))

    def _revoke(self, queue: QueueRef, state: Working, deadline: int, changes: Changes) -> None:
        self._let_go[queue] = state.grant.token
        self._states[queue] = Revoking(state.grant, deadline, state.outlook)
        changes.revoked.append(state.grant)

    def _end(self, queue: QueueRef, epoch: int, changes: Changes) -> None:
        """Have no part in a queue any more under this epoch or a lower one (rule 2)."""
        self._let_go[queue] = max(epoch, self._let_go.get(queue, 0))
        state = self._states.get(queue)
        if state is not None and epoch_of(state) <= epoch:
            self._take_away(queue, changes)

    def _start(self, grant: Grant, outlook: Outlook, changes: Changes) -> None:
        self._states[grant.queue] = Working(grant, outlook)
        changes.assigned.append(grant)

    def _start_by_name(self, queue: QueueRef, source: Source, changes: Changes) -> None:
        """Start on the first release of a grant if it names this life, whatever it was told."""
        said, state = self._recall.first(queue, source), self._states.get(queue)
        if said is None or (epoch := said.begins(self._me, source.epoch)) is None:
            return
        if isinstance(state, Working | Revoking) and state.grant.token >= epoch:
            return
        if isinstance(state, Waiting) and state.source.epoch >= epoch:
            return  # a record knows of later grants
        if not self._is_news(queue, epoch, changes):
            return
        if self.subscribes(queue.topic):
            self._start(Grant(queue, epoch, said.position), Outlook(source=source), changes)
        else:
            self._end(queue, epoch, changes)
            changes.released.append(ReleaseRef(*queue, epoch, said.position))

    def _start_if_named(self, queue: QueueRef, changes: Changes) -> None:
        state = self._states.get(queue)
        if isinstance(state, Waiting):
            said = self._recall.first(queue, state.source)
            if said is not None and said.next == state.epoch and said.to in (None, self._me):
                grant = Grant(queue, state.epoch, said.position)
                self._start(grant, Outlook(source=state.source), changes)

    def _named(self, state: Working | Revoking) -> tuple[int, LifeRef | None] | tuple[None, None]:
        """Return the epoch, and the life, that a release would name."""
        following = named(state.outlook, self._me, state.grant.token, self._recall)
        return (None, None) if following is None else following

    def _take_away(self, queue: QueueRef, changes: Changes) -> None:
        state = self._states.pop(queue)
        if not isinstance(state, Waiting):
            changes.lost.append(state.grant)
