"""What the application is told of changes, in the order in which it must hear of them.

First what is lost, because others may work on it already; last what it may start. Used by the
session. Its one rule: nothing is told that has not changed.
"""

from collections.abc import Iterator

from trimtab.session.actions import Action, Assigned, LossReason, Lost, Revoked
from trimtab.session.baton import Changes


def told(changes: Changes, reason: LossReason) -> Iterator[Action]:
    """Tell of changes; the reason is that of what is lost."""
    if changes.lost:
        yield Lost(tuple(changes.lost), reason)
    if changes.revoked:
        yield Revoked(tuple(changes.revoked))
    if changes.assigned:
        yield Assigned(tuple(changes.assigned))
