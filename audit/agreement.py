"""Agreement: what a group's summary counts is what its members were told (I18).

A summary says of each member how much it holds, gives and inherits. Its readers believe that a
member works on every queue that is counted. So each count is compared with the member's newest
assignment: if that names fewer queues, some have no worker while the group looks healthy; if it
names more, the summary is wrong.

The records of one batch stand in no agreed order, so a summary is judged when its batch is over: at
its end, if that is known, or else at the first assignment of a later epoch. A later summary shows
nothing of recorded topics: the clock of the broker that leads ``groups`` may be behind.

A member that is counted and was never told anything is one whose queues have no worker at all. That
is judged only where every record was seen: of recorded topics, compaction takes the assignments of
who has left since.

Called by ``checker`` with every entry of one group.
"""

from collections.abc import Iterator

from audit.history import Issued, Life, Place, Summarised
from audit.violations import Invariant, Violation

Counts = tuple[int, int, int]


class Agreement:
    """The newest assignments of one group's members, and a summary that is to be judged."""

    def __init__(self, group: str, *, exact: bool) -> None:
        """Begin with no assignments; ``exact``: every record of the group is shown."""
        self._group, self._exact = group, exact
        self._told: dict[str, tuple[Life, int, Counts, Place]] = {}
        """By the name that the group knows a member by."""
        self._summaries: list[Summarised] = []
        """Those that are to be judged, the oldest first."""
        self._gone: set[str] = set()
        """Whose lives have ended since the last one: what they were told is forgotten."""

    def issued(self, record: Issued) -> Iterator[Violation]:
        """Take a member's assignment."""
        yield from self._judged_before(record.epoch)
        life = record.life
        name = life.own_name if record.apart else life.member
        held = len(record.hold) + len(record.shared)
        counts = (held, len(record.give), len(record.inherit) + record.unnamed)
        known = self._told.get(name)
        if known is None or (known[1], known[0]) <= (record.epoch, life):
            self._told[name] = life, record.epoch, counts, record.at

    def summarised(self, record: Summarised) -> Iterator[Violation]:
        """Take a summary."""
        if self._exact:
            yield from self._judged_before(record.epoch)  # of a batch that was cut short
        self._summaries.append(record)
        self._gone.clear()

    def ended(self, life: Life) -> None:
        """A life is over."""
        for name in (life.member, life.own_name):
            if name in self._told and self._told[name][0] == life:
                del self._told[name]
                self._gone.add(name)

    def settled(self) -> Iterator[Violation]:
        """Judge what is left: everything of its batch has been said."""
        for summary in self._summaries:
            yield from self._judged(summary)
        self._summaries.clear()

    def _judged_before(self, epoch: int) -> Iterator[Violation]:
        while self._summaries and self._summaries[0].epoch < epoch:
            yield from self._judged(self._summaries.pop(0))

    def _judged(self, summary: Summarised) -> Iterator[Violation]:
        for name, counted in summary.people:
            told = self._told.get(name)
            if told is None and self._exact and any(counted) and name not in self._gone:
                detail = f"the summary counts {_text(counted)}, and it was told nothing"
                yield Violation(Invariant.TOLD, self._group, name, detail, (summary.at,))
            if told is None or told[1] > summary.epoch or told[2] == counted:
                continue
            detail = f"the summary counts {_text(counted)}, and it was told {_text(told[2])}"
            yield Violation(Invariant.TOLD, self._group, name, detail, (told[3], summary.at))


def _text(counts: Counts) -> str:
    return "hold {}, give {}, inherit {}".format(*counts)
