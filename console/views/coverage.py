"""Coverage: queues that no assignment names, and queues that two assignments have.

What members are told is compared with what the summary counts. A reader may see a hand-over half,
so the caller looks twice and keeps what was so both times.

Called by `trimtab doctor`. Its one rule: only what is owned counts; members that share may
work on the same queues, and members that broadcast work on all.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from console.views.findings import Finding, Kind
from console.views.sentences import queue_name, several
from console.views.typed import WHY, typed
from rebalance.ids import ANY_QUEUE
from trimtab.protocol import Assignment, Group, QueueRef


def overlaps(group: str, assignments: Iterable[Assignment]) -> Iterator[Finding]:
    """Say which queues two members are told to hold."""
    holders: dict[str, list[str]] = defaultdict(list)
    for it in assignments:
        if it.mode is None:
            for grant in it.hold:
                holders[queue_name(grant)].append(it.member)
    for queue, members in sorted(holders.items()):
        if len(members) > 1:
            finding = f"{queue} is held by {several(members)}"
            remedy = "`trimtab check` judges the whole log; report it"
            yield Finding(Kind.OVERLAP, group, finding, remedy)


def gaps(group: Group, assignments: Sequence[Assignment]) -> Iterator[Finding]:
    """Say which queues nobody was told to take, beyond those that the summary says are free."""
    if group.state in {"empty", "dead", "assigning"} or any(it.mode for it in assignments):
        return
    told = {
        row.queue
        for it in assignments
        for rows in (it.hold, it.give, it.inherit, it.shared or ())
        for row in rows
    }
    missing = dict(_missing(group, told))
    known = group.queues.unassigned + sum(it.unnamed or 0 for it in assignments)
    if (count := sum(missing.values()) - known) > 0:
        finding = f"{count} queues are in no assignment: {several(missing)}"
        name = group.group
        again = typed("groups rebalance", name, options=WHY)
        remedy = f"`{again}`; if it stays, `trimtab check`"
        yield Finding(Kind.UNCOVERED, name, finding, remedy)


def _missing(group: Group, told: set[QueueRef]) -> Iterator[tuple[str, int]]:
    """Return how many queues are missing: one by one, or of a topic whose queues have brokers."""
    for topic, summary in sorted(group.topics.items()):
        there = {it for it in told if it.topic == topic}
        if any(it.id == ANY_QUEUE for it in there):
            continue  # all that the broker has
        if any(it.broker for it in there) or summary.left_out:
            yield topic, max(0, summary.queues - len(there))
        else:
            for number in range(summary.queues):
                queue = QueueRef(topic, "", number)
                if queue not in there:
                    yield queue_name(queue), 1
