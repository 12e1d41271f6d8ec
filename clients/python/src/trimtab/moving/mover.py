"""The mover: it lets the owner on one side work on a queue, and gives the queue to the other side.

Kafka's coordinator and trimtab's controller both name owners. `sides.planned` says which of these
queues are read, and the mover makes the reader follow. Used by `MovingReader`. Its one rule: a
queue has one change at a time, and is not committed for the other side while a message of it is in
hand.
"""

import threading
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from trimtab.callbacks import Owned, Ownership, Positions
from trimtab.clock import now_s
from trimtab.consuming.handover import Finished, Handover
from trimtab.errors import CallbackError
from trimtab.moving.claims import Claims
from trimtab.moving.company import Company
from trimtab.moving.ending import Ending
from trimtab.moving.places import Places
from trimtab.moving.sides import LastCommit, Plan, Side, asks_who_can, given_to, planned
from trimtab.moving.silence import Silence
from trimtab.moving.subscription import Subscription
from trimtab.moving.telling import Telling
from trimtab.moving.wanted_side import READ_S, Heard, WantedSide
from trimtab.protocol import QueueRef
from trimtab.session import Grant

_SOON_S: Final = 0.05
"""Between two looks while something is to come from the other side at any moment."""
_SURE_S: Final = 1.0
"""How long what Kafka has assigned is taken for granted without another look."""


class Mover:
    """Follows both sides, from `start` to `end`."""

    def __init__(
        self,
        handover: Handover,
        granted: Owned,
        ways: tuple[Subscription, WantedSide, Company, Silence],
        ending: Ending,
        report: Callable[[Exception], object],
    ) -> None:
        self._handover, self._is_granted = handover, granted
        self._subscription, self._wanted, self._company, self._silence = ways
        self._ending, self._tell = ending, Telling(report).once
        self._granted: dict[QueueRef, Grant] = {}
        """By trimtab's controller."""
        self._assigned: dict[QueueRef, int] = {}
        """By Kafka's coordinator, each time under another number."""
        self._count = 0
        self._working: dict[QueueRef, tuple[Side, Grant]] = {}
        self._places = Places()
        self._lock = threading.Lock()
        """Of these; never held for long."""
        self._claims = Claims()
        """Of those who change what is worked on, until the loop has finished with it."""
        self._heard = Heard(self._wanted.read, self._tell)
        self._wake, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="trimtab-mover", daemon=True)

    # What a reader asks.

    @property
    def working(self) -> tuple[Grant, ...]:
        """What is worked on, on whichever side."""
        with self._lock:
            return tuple(grant for _, grant in self._working.values())

    def owned(self, grants: Collection[Grant]) -> Ownership:
        """Those of these grants that are valid at this moment; see `Member.owned`."""
        with self._lock:
            sides = {it: self._working.get(it.queue, ("", it))[0] for it in grants}
            kafkas = {it for it in grants if sides[it] == "kafka" and it.queue in self._assigned}
        mine = self._is_granted([it for it in grants if sides[it] == "trimtab"])
        until = min(mine.until, now_s() + _SURE_S) if mine.grants else now_s() + _SURE_S
        return Ownership(mine.grants | kafkas, until, mine.life, mine.promised, mine.finish_by)

    def said(self, queue: QueueRef, at: int, trimtabs: str) -> str:
        """What a commit says that is about to be sent."""
        with self._lock:
            at_work = self._working.get(queue)
            self._places.send(queue, at)
        if at_work is None or at_work[0] == "trimtab":
            return trimtabs
        return given_to("kafka", at_work[1].token)

    def start(self) -> None:
        """Begin."""
        self._subscription.start(self)
        self._thread.start()

    def leave(self) -> None:
        """Begin to give up everything, when nothing is in hand any more."""
        self._over.set()
        self._wake.set()

    def end(self, patience_s: float) -> None:
        """Wait for the end, but not for a Kafka or an application that hangs."""
        self.leave()
        if self._thread.ident is not None:
            self._thread.join(patience_s)

    # What trimtab's controller says, on the member's callback thread.

    def on_assigned(self, grants: tuple[Grant, ...]) -> None:
        """Work on these when they are on this side."""
        with self._lock:
            self._granted |= {it.queue: it for it in grants}
        self._wake.set()

    def on_revoked(self, grants: tuple[Grant, ...], finished: Finished = bool) -> Positions:
        """Finish those that are worked on here, and say where their heirs begin."""
        queues = self._not_kafkas(grants)

        def first(positions: Positions) -> None:
            self._remove(self._working, positions)
            finished(positions)

        with self._claims.of(queues):
            return self._finish("trimtab", queues, first)

    def on_lost(self, grants: tuple[Grant, ...]) -> None:
        """Stop."""
        queues = self._not_kafkas(grants)
        with self._claims.of(queues):
            self._drop("trimtab", queues)

    def _not_kafkas(self, grants: tuple[Grant, ...]) -> set[QueueRef]:
        """End these grants; of a queue that is worked on for Kafka there is no more to do."""
        with self._lock:
            kafkas = {queue for queue, (side, _) in self._working.items() if side == "kafka"}
            for it in grants:
                self._granted.pop(it.queue, None)
        return {it.queue for it in grants} - kafkas

    # What Kafka's coordinator says.

    def take(self, queues: Collection[QueueRef]) -> None:
        """Work on these when they are on this side."""
        with self._lock:
            self._count += 1
            self._assigned |= dict.fromkeys(queues, self._count)
        self._company.change()
        self._wake.set()

    def give(self, queues: Collection[QueueRef]) -> None:
        """Finish those that are worked on here."""
        with self._claims.of(queues), suppress(CallbackError):  # the member has heard of it
            try:
                self._finish("kafka", set(queues))
            finally:
                self._remove(self._assigned, queues)

    def lose(self, queues: Collection[QueueRef]) -> None:
        """Stop."""
        self._remove(self._assigned, queues)
        with self._claims.of(queues), suppress(CallbackError):
            self._drop("kafka", queues)

    def trouble(self, error: Exception) -> None:
        """Say what Kafka says instead."""
        self._tell(error)

    # Both together.

    def _run(self) -> None:
        while not self._over.is_set():
            is_awaited = False
            try:
                is_awaited = self._look()
            except CallbackError:
                break  # it is not known what the application works on
            except Exception as error:  # noqa: BLE001 - said, and the next look may do better
                self._tell(error)
            self._wake.wait(_SOON_S if is_awaited else READ_S)
            self._wake.clear()
        self._company.close()
        with self._lock:
            queues = set(self._assigned)
        (self.lose if self._ending.is_failure else self.give)(queues)
        while not self._ending.is_over:  # trimtab's side commits by this subscription, too
            time.sleep(_SOON_S)
        self._subscription.close()
        self._wanted.close()

    def _look(self) -> bool:
        """Do what is to be done; tell whether more is to come at any moment."""
        with self._lock:
            assigned, granted = dict(self._assigned), dict(self._granted)
            queues = {*assigned, *granted, *self._working}
        commits = self._subscription.last_commits(queues)
        wanted = self._heard.by(now_s())
        asking = asks_who_can(commits, wanted)
        others = self._company.others(asking, self._tell, self._wake.set)
        with self._claims.of_free(queues) as free:
            with self._lock:  # what came after the commits were read may stand on newer ones
                owned: dict[Side, set[QueueRef]] = {
                    "kafka": {it for it, at in assigned.items() if self._assigned.get(it) == at},
                    "trimtab": {it for it, at in granted.items() if self._granted.get(it) == at},
                }
                working = {queue: side for queue, (side, _) in self._working.items()}
            gone = self._silence.gone(now_s(), wanted, commits)
            changed = {it: last for it, last in commits.items() if it in free}
            plan = planned(owned, working, changed, wanted, gone, others=others)
            self._drop(None, plan.lose)
            self._begin(plan, commits)
            self._move(plan, commits, self._idle(plan, commits))
        moving, in_hand = plan.move.keys() & working.keys(), self._handover.in_hand()
        for some in (moving - in_hand, moving & in_hand):  # which may take long
            with self._claims.of_free(some) as free:
                reached = {**self._finish("kafka", free), **self._finish("trimtab", free)}
                self._move(plan, commits, reached)
        return plan.is_awaited or bool(plan.move)

    def _begin(self, plan: Plan, commits: dict[QueueRef, LastCommit]) -> None:
        grants = []
        with self._lock:
            for queue, side in plan.begin.items():
                last = commits[queue]
                known = self._granted.get(queue) if side == "trimtab" else Grant(queue, last.token)
                if known is None:
                    continue  # it was lost a moment ago
                begun = replace(known, position=self._places.next(known, last))
                self._working[queue] = side, begun
                grants.append(begun)
        if grants:
            with self._ending.after_a_mistake():
                self._handover.on_assigned(tuple(grants))

    def _idle(self, plan: Plan, commits: dict[QueueRef, LastCommit]) -> dict[QueueRef, int | None]:
        """How far those are that move, and are not worked on."""
        with self._lock:
            reached = {}
            for queue in plan.move.keys() - self._working.keys():
                grant = self._granted.get(queue) if commits[queue].side == "trimtab" else None
                reached[queue] = self._places.next(grant or Grant(queue, 0), commits[queue])
        return reached

    def _move(self, plan: Plan, commits: dict[QueueRef, LastCommit], reached: Positions) -> None:
        """Commit for the other side."""
        places = dict[QueueRef, tuple[int, str]]()
        for queue, at in reached.items():
            token = self._token(queue, commits[queue], is_taken=queue in plan.taken)
            if at is not None:
                self._places.finish(queue, commits[queue], at)
            if at is not None and token is not None:
                places[queue] = at, given_to(plan.move[queue], token)
        if places:
            self._subscription.commit(places)
        for queue in places:
            self._places.commit(queue)

    def _token(self, queue: QueueRef, last: LastCommit, *, is_taken: bool) -> int | None:
        """The token under which it is owned on the side that it is on; None if it is not."""
        with self._lock:
            if last.side == "kafka" or is_taken:
                return last.token if queue in self._assigned else None
            granted = self._granted.get(queue)
        if granted is None or not self._is_granted([granted]).grants:
            return None
        return max(last.token, granted.token)

    def _finish(self, side: Side, queues: set[QueueRef], first: Finished = bool) -> Positions:
        """Wait until nothing of these is in hand, and commit."""
        mine = self._at_work(side, queues)
        if not mine:
            return {}
        try:
            with self._ending.after_a_mistake():
                return self._handover.on_revoked(mine, first)
        finally:
            self._remove(self._working, [it.queue for it in mine])

    def _drop(self, side: Side | None, queues: Collection[QueueRef]) -> None:
        """Stop at once."""
        if mine := self._at_work(side, queues):
            try:
                with self._ending.after_a_mistake():
                    self._handover.on_lost(mine)
            finally:
                self._remove(self._working, [it.queue for it in mine])

    def _at_work(self, side: Side | None, queues: Collection[QueueRef]) -> tuple[Grant, ...]:
        with self._lock:
            return tuple(
                grant
                for queue, (its, grant) in self._working.items()
                if queue in queues and side in (None, its)
            )

    def _remove(self, those: dict[QueueRef, Any], queues: Iterable[QueueRef]) -> None:
        with self._lock:
            for queue in queues:
                those.pop(queue, None)
