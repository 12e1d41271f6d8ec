"""Receiving: whether trimtab's side takes the queues that a group is about to give to it.

Who gives a queue stops at once, and on the other side it has no worker before the controller has
granted it to somebody. So before a group moves there, a controller has to be at work, and each of
these queues has to have an owner there.

Called by `trimtab groups move`. Its one rule: what may not be read is said, and hinders nobody.
"""

import time
from collections.abc import Callable, Collection
from functools import partial
from typing import Final

from console.errors import ExitCode, Failure
from console.published import Published
from console.pulse import felt
from console.views.sentences import queue_name, several
from console.views.typed import typed
from trimtab.protocol import QueueRef, partition_of

_ANSWERED_S: Final = 10.0
"""A process that has just started asks for queues, and is answered within seconds."""
_LOOK_S: Final = 0.5

Places = Collection[tuple[str, int]]
"""Queues of Kafka: topics and partitions."""


def look(
    published: Published,
    group: str,
    now_ms: int,
    note: Callable[[str], object],
    until: float,
    queues: Places,
) -> None:
    """Refuse a move to trimtab's side if some of these queues would have no worker there.

    It waits for no owner after ``until``, by the monotonic clock.

    Raises:
        Failure: They would, Kafka does not answer, or trimtab's topics are not there.
    """
    if not queues:
        return
    for what, ask in (
        ("a controller is at work", partial(_look_for_ticks, published, group, now_ms)),
        (
            "each queue has an owner there",
            partial(_look_for_owners, published, group, until, queues),
        ),
    ):
        try:
            ask()
        except Failure as error:
            if error.exit_code != ExitCode.ERROR:
                raise
            note(f"whether {what} was not looked at: {error}")


def _look_for_ticks(published: Published, group: str, now_ms: int) -> None:
    """Look where the group is: elsewhere a partition may be silent that concerns others."""
    _, silent, partitions = felt(published, now_ms)
    own = partition_of(group, partitions)
    if own not in silent:
        return
    if len(silent) == partitions:
        reason = "no controller is at work, so nobody grants queues"
    else:
        where = f"partition {own} of heartbeats, where this group is"
        reason = f"no controller ticks in {where}, so nobody grants its queues"
    raise Failure(f"{group} stays: {reason}: `trimtab doctor`", ExitCode.UNHEALTHY)


def _look_for_owners(published: Published, group: str, until: float, queues: Places) -> None:
    deadline = min(until, time.monotonic() + _ANSWERED_S)
    while orphans := _orphans(published, group, queues):
        if time.monotonic() > deadline:
            count = f"{len(orphans)} of {len(queues)} queues have no owner on trimtab's side"
            remedy = f"`{typed('doctor', group)}`"
            text = f"{group} stays: {count} ({several(orphans)}): {remedy}"
            raise Failure(text, ExitCode.UNHEALTHY)
        time.sleep(_LOOK_S)


def _orphans(published: Published, group: str, queues: Places) -> list[str]:
    """Return which queues nobody is told to hold, or to take over from who has them."""
    told = published.assignments(group).values()
    owned = {row.queue for it in told for rows in (it.hold, it.inherit) for row in rows}
    wanted = (QueueRef(topic, "", number) for topic, number in sorted(queues))
    found = [queue_name(it) for it in wanted if it not in owned]
    return found[sum(it.unnamed or 0 for it in told) :]
