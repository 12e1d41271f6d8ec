"""Rest, seen from the machines: whether everything is worked on as it should be.

The auditor judges what was written (``audit.rest``); this looks at what processes do. Each queue
has one worker among the members that own queues, a member that broadcasts works on all of its
topics, and the controller knows exactly the members that are there.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from rebalance.groups.model.state import GroupState
from rebalance.ids import Life
from tests.simulation.driver import Seen
from tests.simulation.process import Process
from trimtab.protocol import QueueRef


def unrest(processes: Collection[Process], topics: Mapping[str, Seen], state: GroupState) -> str:
    """Say what is not as it should be; nothing, when all is well."""
    sharing = [process for process in processes if process.manner != "broadcasting"]
    wanted = {topic for process in sharing for topic in process.topics}
    worked = sorted(queue for process in sharing for queue in process.working)
    if _queues(topics, wanted) != worked:
        return f"worked on are {worked}"
    for process in processes:
        everything = _queues(topics, process.topics)
        if process in sharing or not is_known(process, state):
            continue  # of two with one name one is refused
        if sorted(process.working) != everything:
            return f"{process.name} broadcasts and works on {sorted(process.working)}"
    known = {life.shared_name for life in _members(state)}
    there = {process.name for process in processes}
    unmarked = sorted(name for name, it in state.membership.members.items() if it.awaits_mark)
    if unmarked:
        return f"no mark of {unmarked} was read"
    return "" if known == there else f"the controller knows {sorted(known)}"


def is_known(process: Process, state: GroupState) -> bool:
    """Tell whether the controller has this very life in its roster."""
    life, _ = process.worker
    return tuple(life) in {(it.shared_name, it.incarnation) for it in _members(state)}


def _members(state: GroupState) -> Iterator[Life]:
    for name, member in state.membership.members.items():
        yield member.life(name)


def _queues(topics: Mapping[str, Seen], wanted: Iterable[str]) -> list[QueueRef]:
    return sorted(
        QueueRef(topic, "", number) for topic in wanted for number in range(topics[topic].queues)
    )
