"""Which lives the controller has given up, as far as its records show by now.

The witness asks, because a life that was given up may rightly have an heir. A life may be given up
and let in again within one batch, so the state alone does not show it.
"""

from collections.abc import Iterable, Iterator

from audit.history import Life
from rebalance.groups.model.decisions import MemberChange, MemberChanged
from tests.simulation.brain import Brain
from tests.simulation.process import Process
from tests.simulation.rest import is_known

_GIVEN_UP = {MemberChange.EXPIRED, MemberChange.FENCED}


def given_up(brain: Brain, processes: Iterable[Process]) -> Iterator[Life]:
    """Return who was given up in the last batch, and who of these processes is not known.

    Whom the brain has merely forgotten is not given up; whoever came in its place says that it is.
    """
    pending, state = brain.pending, brain.state
    decisions = brain.decided[-1] if brain.decided else ()
    if pending is not None and pending.outcome is not None:
        # Some of it may have been published before the crash.
        state, decisions = pending.outcome.state, pending.outcome.decisions
    changes = [it for it in decisions if isinstance(it, MemberChanged)]
    for it in changes:
        if it.change in _GIVEN_UP:
            yield Life(it.life.shared_name, it.incarnation)
    for process in processes:
        life, _ = process.worker
        replaced = any(_replaces(it, life) for it in changes)
        if replaced or not (brain.starting or is_known(process, state)):
            yield life


def _replaces(change: MemberChanged, life: Life) -> bool:
    younger = change.incarnation > life.incarnation
    return younger and (change.change, change.member) == (MemberChange.REJOINED, life.member)
