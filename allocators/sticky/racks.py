"""Keeping queues in their rack, where it costs nothing.

A queue that must move is best taken over in the rack of its old owner, near what that left behind
(a local cache, a state store's replica). At this point it is settled which member gets how many
queues of which topic; what is left to choose is which queue goes to which member. So pair queues
and members of the same topic and rack, one by one, then the rest in order.

Called by ``handing`` and ``even``. Its one rule: no member gets more or fewer than before.
"""

import numpy as np

from allocators.sticky.waterline import Ints


def neighbourly(takers: Ints, home: Ints | None, topics: Ints, racks: Ints) -> Ints:
    """Reorder the ``takers`` within each topic so that most queues stay in their rack.

    ``home`` are the racks that the queues come from, or -1; ``racks`` the members' racks. Without
    homes there is one rack.
    """
    if home is None or not takers.size:
        return takers
    there = np.append(racks, -1)[takers]  # the last one is nobody's
    kinds = int(max(racks.max(), home.max())) + 2
    _, staying, welcoming = np.intersect1d(
        _tickets(topics, home, kinds), _tickets(topics, there, kinds), return_indices=True
    )
    paired = home[staying] >= 0
    staying, welcoming = staying[paired], welcoming[paired]
    result = np.empty_like(takers)
    result[staying] = takers[welcoming]
    result[np.delete(np.arange(len(takers)), staying)] = np.delete(takers, welcoming)
    return result


def _tickets(topics: Ints, racks: Ints, kinds: int) -> Ints:
    """Number everybody within topic and rack: equal tickets make a pair."""
    size = len(topics)
    groups = topics * kinds + racks + 1
    order = np.argsort(groups, kind="stable")
    sizes = np.unique(groups[order], return_counts=True)[1]
    within = np.arange(size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    tickets = np.empty(size, np.int64)
    tickets[order] = within
    return groups * size + tickets
