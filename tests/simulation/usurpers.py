"""Usurpers: no member is replaced by a process that was there before it (I19).

Of two processes with one name or instance the one that started later is the successor. The other
may have been frozen: when it comes back, it has to find that out, and must not take its place back.
The first join of a process may be read late. Where the clocks of one name's processes differ, it is
unknown which started later, so nothing is judged.
"""

from collections.abc import Iterable, Iterator, Sequence

from audit.history import Life
from audit.violations import Invariant, Violation
from rebalance import ids
from rebalance.groups.model.decisions import Decision, TwinsMet
from rebalance.groups.model.policy import TwinRule
from tests.simulation.process import Process
from tests.simulation.rules import GROUP
from trimtab.session import Ending

_EVICTING = {TwinRule.FENCE_OLDER, TwinRule.HAND_OVER}


def usurped(ended: Iterable[Process], everybody: Sequence[Process]) -> Iterator[Violation]:
    """Name the processes that gave up their name though nobody has come for it since."""
    for process in ended:
        namesakes = [it for it in everybody if it.name == process.name]
        if process.ending is not Ending.REPLACED or any(it.offset_ms for it in namesakes):
            continue
        if namesakes[-1] is process:
            yield _violation(process.worker[0], "replaced, and nobody came after it")


def evicted(decided: Sequence[Decision], everybody: Sequence[Process]) -> Iterator[Violation]:
    """Name the members whose place was taken by a process that came back."""
    for met in decided:
        if isinstance(met, TwinsMet) and met.rule in _EVICTING:
            older, newer = _process(met.older, everybody), _process(met.newer, everybody)
            if older is not None and newer is not None and _comes_back(newer, met, older):
                detail = f"{newer.name} had its place before, and took it back"
                yield _violation(older.worker[0], detail)


def _comes_back(newer: Process, met: TwinsMet, older: Process) -> bool:
    return newer.number < older.number and met.newer[1] != newer.first_life


def _process(life: ids.Life, everybody: Sequence[Process]) -> Process | None:
    name, start = life.shared_name, life.incarnation[:13]
    for process in everybody:
        if (process.name, process.worker[0].incarnation[:13]) == (name, start):
            return process
    return None


def _violation(life: Life, detail: str) -> Violation:
    return Violation(Invariant.SUCCEEDED, GROUP, life.member, detail)
