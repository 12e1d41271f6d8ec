"""What an active controller says of itself, as others hear it.

For those who follow it: whether it fails is all that they look at.
"""

from trimtab.protocol import Controller, GroupTotals


def word(name: str, failures: int | None) -> Controller:
    """What one says of itself."""
    none = GroupTotals(groups=0, members=0, queues=0, unassigned=0)
    return Controller(
        controller=name,
        role="active",
        version="0.1.0",
        lag={},
        clocks=(),
        dead_letters=0,
        rebalances=0,
        moves=0,
        totals=none,
        failures=failures,
    )
