"""Obituaries: which lives the controller has given up, as far as anybody may know it by now.

The witness asks, because whoever was given up may rightly have an heir. A life may be given up and
taken in again within one batch, so the state alone does not tell.
"""

from collections.abc import Iterable, Iterator

from audit.history import Life
from rebalance.decisions import MemberChange, MemberChanged
from rebalance.ids import Incarnation, MemberId
from rebalance.twins import own_name
from sinks.assignments import own_name as called
from tests.simulation.brain import Brain
from tests.simulation.process import Process

_GIVEN_UP = {MemberChange.EXPIRED, MemberChange.FENCED}


def given_up(brain: Brain, processes: Iterable[Process], *, separate: bool) -> Iterator[Life]:
    """Return who was given up in the last batch, and who of these processes is not known.

    Whom the brain has merely forgotten is not given up.
    """
    pending, state = brain.pending, brain.state
    decisions = brain.decided[-1] if brain.decided else ()
    if pending is not None and pending.outcome is not None:
        # Some of it may have been published before the crash.
        state, decisions = pending.outcome.state, pending.outcome.decisions
    for it in decisions:
        if isinstance(it, MemberChanged) and it.change in _GIVEN_UP:
            yield Life(called(it.member, it.incarnation), it.incarnation)
    if brain.starting:
        return
    for process in processes:
        life, _ = process.worker
        name = MemberId(life.member)
        if separate:
            name = own_name(name, Incarnation(life.incarnation))
        known = state.members.get(name)
        if known is None or known.incarnation != life.incarnation:
            yield life
