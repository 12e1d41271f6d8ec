"""The register of standing heirs: whose queues stand with whom.

A *holding* is what one member owns, each queue with its standing heir or None. The other way round,
``duties`` says for how many queues of each owner a member stands heir. Both are kept up from deal
to deal, so that a deal looks at few holdings of a group that has thousands.

Written by ``dealing``, ``settling`` and ``evening`` in a copy of their own. A register that was
kept up gives the same answers as one that is built anew.
"""

from collections.abc import Mapping

from rebalance.allocation import Candidate, Candidates
from rebalance.groups.standing.pools import Kind, Place
from rebalance.groups.standing.ranks import Ranks
from rebalance.ids import MemberId, Queue

Holding = dict[Queue, MemberId | None]
Counts = dict[MemberId, int]


class Register:
    """Who stands heir to what."""

    def __init__(self) -> None:
        self.candidates: dict[MemberId, Candidate] = {}
        """Who may be heir, as they were told last."""
        self.kinds: dict[MemberId, Kind] = {}
        self.holdings: dict[MemberId, Holding] = {}
        self.duties: dict[MemberId | None, Counts] = {}
        """By heir: how many queues of each owner. None's are the queues without a standing heir."""
        self.burdens: dict[MemberId | None, int] = {}
        self.most: dict[MemberId, int] = {}
        """The most queues of one owner that a member has stood heir to, where it is above one."""
        self.ranks = Ranks()
        self.was: dict[Queue, MemberId | None] = {}
        """The former heir of each queue that something was done to."""
        self.looked = 0
        """Queues looked at since the copy was made: what a deal costs, without a clock."""
        self._mine: tuple[set[MemberId], set[MemberId | None]] = set(), set()

    @classmethod
    def built(
        cls,
        candidates: Candidates,
        owners: Mapping[Queue, MemberId],
        heirs: Mapping[Queue, MemberId],
    ) -> "Register":
        """Write it anew."""
        register = cls()
        for queue, owner in owners.items():
            register._enter(owner, queue, heirs.get(queue))
        register.candidates = dict(candidates)
        register.kinds = {name: Kind.of(one) for name, one in candidates.items()}
        register.ranks.fill((name, register.place(name)) for name in candidates)
        return register

    def copy(self) -> "Register":
        """Return the same, to be changed alone; holdings and duties are copied when written."""
        register = Register()
        register.candidates, register.kinds = dict(self.candidates), dict(self.kinds)
        register.holdings, register.duties = dict(self.holdings), dict(self.duties)
        register.burdens, register.most = dict(self.burdens), dict(self.most)
        register.ranks = self.ranks.copy()
        return register

    def load(self, name: MemberId) -> int:
        """Return how many queues a member owns."""
        return len(self.holdings.get(name, ()))

    def count(self, owner: MemberId, heir: MemberId) -> int:
        """Return how many queues of an owner a member stands heir to."""
        return self.duties.get(heir, {}).get(owner, 0)

    def place(self, name: MemberId, more: int = 0) -> Place:
        """Return where a member is to be filed, with so many queues more."""
        return Place(self.kinds[name], self.load(name) + more, self.burdens.get(name, 0))

    def put(self, owner: MemberId, queue: Queue, heir: MemberId | None) -> None:
        """Make somebody a standing heir. Where it is filed is the caller's business."""
        before = self.holdings[owner][queue]
        self.was.setdefault(queue, before)
        self._count(before, owner, -1)
        self._holding(owner)[queue] = heir
        self._count(heir, owner, 1)

    def pass_on(self, queue: Queue, old: MemberId | None, new: MemberId | None) -> MemberId | None:
        """Book a queue over to another owner, with the heir that it had; return that."""
        heir = None
        if old is not None:
            heir = self._holding(old).pop(queue)
            self.was.setdefault(queue, heir)
            self._count(heir, old, -1)
            if not self.holdings[old]:
                del self.holdings[old]
        if new is not None:
            self.was.setdefault(queue, None)
            self._enter(new, queue, heir)
        return heir

    def _enter(self, owner: MemberId, queue: Queue, heir: MemberId | None) -> None:
        self._holding(owner)[queue] = heir
        self._count(heir, owner, 1)

    def _count(self, heir: MemberId | None, owner: MemberId, sign: int) -> None:
        counts = self.duties.get(heir)
        if counts is None or heir not in self._mine[1]:
            counts = self.duties[heir] = dict(counts or {})
            self._mine[1].add(heir)
        now = counts.get(owner, 0) + sign
        if now:
            counts[owner] = now
        else:
            del counts[owner]
        self.burdens[heir] = self.burdens.get(heir, 0) + sign
        if not counts:
            del self.duties[heir], self.burdens[heir]
        if heir is not None and sign > 0 and now > self.most.get(heir, 1):
            self.most[heir] = now

    def _holding(self, owner: MemberId) -> Holding:
        holding = self.holdings.get(owner)
        if holding is None or owner not in self._mine[0]:
            holding = self.holdings[owner] = dict(holding or {})
            self._mine[0].add(owner)
        return holding
