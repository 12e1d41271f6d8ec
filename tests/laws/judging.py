"""Judging: what must never be in a world, and what must be in the end.

Used by ``exploration``. Its one rule: what is excused is what a life does that the controller has
given up, and what an eager member does before it has read its latest record.
"""

from typing import NamedTuple

from tests.laws.real_controller import RealController
from tests.laws.views import IDLE, WAITING, WORKING, Life, View
from tests.laws.worlds import Scope, World, names_the_unborn


class Judge(NamedTuple):
    """Who looks at every world of a scope."""

    scope: Scope
    controller: RealController

    def unsafe(self, world: World) -> str:
        """Say what must never be; empty: nothing."""
        lives = self.controller.lives(world.controller)
        if any(view.heedless for view in world.views):
            return "somebody works on under a grant that it knows to be released"
        if world.in_order and names_the_unborn(world):
            return "a life is named that has shown no mark"
        if wronged := next((view.wronged for view in world.views if view.wronged), None):
            return wronged
        obeying = [view for view in world.views if not self._excused(view, lives[view.me])]
        for queue, token in enumerate(world.tokens):
            duties = [view.duties[queue] for view in obeying]
            at_work = [duty.epoch for duty in duties if duty.state >= WORKING]
            if len(at_work) > 1:
                return f"q{queue} has several owners"
            if at_work and at_work[0] < token:
                return f"the token of q{queue} went back from {token} to {at_work[0]}"
        return ""

    def _excused(self, view: View, known: int) -> bool:
        if view.unread and (view.eager or self.scope.lenient):
            return True
        return self.scope.overlapping and view.life != known

    def unsettled(self, world: World) -> str:
        """Say what must not be in a quiet world; empty: nothing."""
        state = world.controller
        for queue, wished in enumerate(world.wish):
            exists = queue < self.controller.existing(state)
            owner = self.controller.present(state, wished) if exists else None
            for view in world.views:
                wanted = self._duty(state, queue, (view.me, view.life), owner)
                if view.duties[queue].state != wanted:
                    return f"at rest, q{queue} is not with the member it was wished for"
        return "" if self.controller.settled(state) else "the books are not at rest"

    def _duty(self, state: int, queue: int, life: Life, owner: Life | None) -> int:
        """Return what a life is to do about a queue when all is quiet."""
        if life == owner:
            return WORKING
        return WAITING if life == self.controller.successor(state, queue) else IDLE
