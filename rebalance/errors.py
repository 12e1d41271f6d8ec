"""What can go wrong in the brain.

    RebalanceError
    └── BrokenInvariant      the brain contradicts itself: publish nothing of it

Bad input is not an error here: it becomes an ``EventRefused`` decision and the group goes on. The
outside world cannot fail here either, because the brain does not touch it. What is left is a
contradiction in the books. Then what is published of that group stays as it is (``ailments``); no
other group is affected.
"""


class RebalanceError(Exception):
    """The root of everything that ``rebalance`` raises."""


class BrokenInvariant(RebalanceError):  # noqa: N818 - it names what happened, as etcd's panics do
    """The books contradict themselves. The message names the queue or member and both claims."""
