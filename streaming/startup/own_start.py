"""The record of this start: as long as it is in the log, a newer controller is noticed.

Its offsets are what `supersession` compares with. Where the topic was made anew, or has lost its
end, offsets begin again below them, and so does the start of a newer controller: two would work. So
this one ends then, and its supervisor's next start is announced anew.

Asked by ``start`` before each try of the query.
"""

from collections.abc import Sequence

from rebalance.groups.model.route import NO_ID
from streaming.startup.losses import Contents, is_other
from streaming.topics import names
from trimtab.protocol import ROUTES


class OwnStart:
    """Where this controller has said that it starts.

    Args:
        prefix: Of the topics.
        starts: At which offsets, by partition; none if it never did.
    """

    def __init__(self, prefix: str, starts: Sequence[int]) -> None:
        (self._topic,) = names(prefix, (ROUTES,))
        self._starts = starts
        self._id: str | None = None
        """Of the topic, as it was seen first."""

    def lost(self, contents: Contents) -> str | None:
        """Say that it is gone, if it is, and what to do."""
        is_now = contents.topics.get(self._topic)
        self._id = is_now if self._id in {None, NO_ID} else self._id
        places = [(self._topic, partition) for partition in range(len(self._starts))]
        ends = [contents.ends[it].end if it in contents.ends else 0 for it in places]
        if not is_other(self._id, is_now) and all(map(int.__lt__, self._starts, ends)):
            return None
        return (
            f"{self._topic} has lost the record of this start, so a newer controller would not be "
            "noticed; start this one again"
        )
