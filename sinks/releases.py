"""Topic ``releases``: the controller ends grants of lives that cannot do so themselves.

Heirs read it as they read a member's own. The controller reads it back, and only then it counts,
because the member or its guard may have written one before it.

Called by ``sinks.record_of``. Keyed by group.
"""

from rebalance.groups.model.decisions import Freed
from sinks.contract import Outlet, Record, keyed_by_group
from trimtab import protocol
from trimtab.protocol import RELEASES, ReleaseRef


def freed(decision: Freed, outlet: Outlet) -> Record:
    """Write a release for a life that has ended."""
    release = protocol.Release(
        member=decision.life.shared_name,
        incarnation=decision.incarnation,
        sequence=0,
        queues=tuple(ReleaseRef(*it.queue, it.epoch, None, it.next) for it in decision.namings),
        by="controller",
    )
    return keyed_by_group(outlet, RELEASES, decision.group, release, None)
