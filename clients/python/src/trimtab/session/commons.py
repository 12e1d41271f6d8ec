"""The member's side of the commons: queues that are worked on together, or by all members.

A member that broadcasts or shares owns nothing, so it waits for no other member and none waits for
it. Its assignment is the whole list: a new queue on it is started, one that is no longer on it is
finished at leisure, and may come back under the same epoch, which is no token here. Nothing is
released, because there is no heir.

Chosen by the session in place of the baton, whose questions it answers. Its one rule: the last
record counts, and the application is never interrupted.
"""

from collections.abc import Callable, Mapping

from trimtab.protocol import Assignment, HolderRef, LifeRef, QueueRef, Release
from trimtab.session.baton import Baton, Changes
from trimtab.session.duty import Revoking, Working
from trimtab.session.grants import Grant
from trimtab.session.nominee import UNTOLD
from trimtab.session.recall import Recall


class Commons(Baton):
    """The queues that one incarnation works on without owning them."""

    def __init__(self, life: LifeRef, recall: Recall, subscribes: Callable[[str], bool]) -> None:
        super().__init__(life, recall, subscribes)
        self._wanted: dict[QueueRef, int] = {}
        """What the last record names."""
        self._leaves = False

    @property
    def deadline(self) -> None:
        """No heir waits, so nothing is ever late."""
        return

    @property
    def holdings(self) -> tuple[HolderRef, ...]:
        """There is nothing to release."""
        return ()

    def obey(self, record: Assignment, deadline: int) -> Changes:
        """Follow an assignment."""
        if not self._leaves:
            self._wanted = {row.queue: row.epoch for row in record.hold}
        return self._follow(deadline)

    def hear(self, release: Release) -> Changes:
        """No release matters."""
        del release
        return Changes()

    def finish(self, positions: Mapping[Grant, int | None]) -> Changes:
        """The application has stopped: what is wanted again meanwhile starts anew."""
        for grant in positions:
            state = self._states.get(grant.queue)
            if isinstance(state, Revoking) and state.grant.token == grant.token:
                del self._states[grant.queue]
        return self._follow(deadline=None)

    def revoke_all(self, deadline: int, *, keep: bool = False) -> Changes:
        """Give up everything, in good order, and begin nothing more."""
        del keep
        self._wanted, self._leaves = {}, True
        return self._follow(deadline)

    def _follow(self, deadline: int | None) -> Changes:
        """Bring what is worked on to what is wanted; what has to stop is given a deadline."""
        changes = Changes()
        for queue, state in sorted(self._states.items()):
            if isinstance(state, Working) and queue not in self._wanted and deadline is not None:
                self._states[queue] = Revoking(state.grant, deadline)
                changes.revoked.append(state.grant)
        for queue, epoch in sorted(self._wanted.items()):
            if queue not in self._states:
                self._start(Grant(queue, epoch), UNTOLD, changes)
        return changes


class Broadcast(Commons):
    """The same where every member works on all of it: one that leaves waits for nobody."""

    def hand_on(self, deadline: int) -> Changes:
        """Give up everything, in good order: others work on it as well."""
        return self.revoke_all(deadline)
