"""Settling a holding: each queue of a member gets a standing heir, and keeps it while it will do.

After the member's departure nobody may stand too high: whoever took over a queue stands no higher
than anybody else who could have it would stand with two queues more than it gets; directly, or by
a row of takers who each pass on another queue of the same holding. From that follows (compare the
holding with the best one, queue by queue): no heir stands higher after the departure than the
highest of the best spread would with one more queue. And as many queues have an heir as can.

It does not drift, because the rule names no earlier state: it holds for the holding as it is, or
the holding is mended. Each mending step lowers the higher of two members, so it ends.

Called by ``dealing``, holding by holding. Its one rule: an heir that is allowed and not too high
stays, unless another could otherwise not be placed.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from rebalance.groups.standing.ranks import Choice
from rebalance.groups.standing.register import Register
from rebalance.ids import MemberId, Queue, TopicName

Piles = dict[TopicName, list[Queue]]
"""By topic, a heap of queues: the first one is passed on first."""


def settle(register: Register, owner: MemberId) -> None:
    """See to it that the holding is as it should be."""
    holding = register.holdings.get(owner)
    if holding is None:
        return
    register.looked += len(holding)
    if is_good(register, owner, register.ranks.ceiling):
        return
    if register.ranks.are_few and is_good(
        register, owner, lambda topic: ceiling_beside(register, owner, topic)
    ):
        return  # where ranks are many, a look is the shorter way to find that out
    _Look(register, owner).settle()


def is_good(
    register: Register, owner: MemberId, ceiling: Callable[[TopicName], int | None]
) -> bool:
    """Tell quickly whether nothing is to be mended; a ceiling may be too low, not too high."""
    holding = register.holdings[owner]
    if any(not _will_do(register, owner, queue, heir) for queue, heir in holding.items()):
        return False
    ceilings = [low for low in map(ceiling, {queue.topic for queue in holding}) if low is not None]
    lowest = min(ceilings, default=None)
    for heir in set(holding.values()):
        if heir is None:
            continue
        place = register.place(heir, register.count(owner, heir))
        if not place.kind.bears(place.load):
            return False
        if lowest is not None and register.ranks.lift(place.kind, place.load) > lowest:
            return False
    return True


def _will_do(register: Register, owner: MemberId, queue: Queue, heir: MemberId | None) -> bool:
    """Tell whether somebody may be heir, or nobody can be: what only the owner wants has none."""
    if heir is None:
        return not register.ranks.is_wanted_beside(queue.topic, register.kinds.get(owner))
    return allowed(register, owner, queue, heir)


def allowed(register: Register, owner: MemberId, queue: Queue, heir: MemberId | None) -> bool:
    """Tell whether somebody may be heir at all, its room aside."""
    kind = None if heir is None else register.kinds.get(heir)
    return kind is not None and heir != owner and queue.topic in kind.topics


def ceiling_beside(register: Register, owner: MemberId, topic: TopicName) -> int | None:
    """Return how high the lowest taker stands with two more queues beside those it is heir to."""
    ranks, heirs = register.ranks, set(register.holdings[owner].values())
    found = [
        ranks.lift(kind, load + 2)
        for kind, load, rank in ranks.open_to(topic)
        if any(name != owner and name not in heirs for _, name in rank)
    ]
    for heir in heirs:
        kind = None if heir is None else register.kinds.get(heir)
        if heir is None or kind is None or heir == owner or topic not in kind.topics:
            continue
        load = register.place(heir, register.count(owner, heir)).load
        if kind.bears(load + 1):
            found.append(ranks.lift(kind, load + 2))
    return min(found, default=None)


class _Look:
    """A holding that is being settled; meanwhile its heirs are filed as after the departure."""

    def __init__(self, register: Register, owner: MemberId) -> None:
        self._register, self._owner = register, owner
        known = register.candidates.get(owner)
        self._rack = "" if known is None else known.rack
        self._piles: dict[MemberId | None, Piles] = {}
        holding = register.holdings[owner]
        for queue, heir in holding.items():
            heappush(self._piles.setdefault(heir, {}).setdefault(queue.topic, []), queue)
        self._topics = {queue.topic for queue in holding}
        for heir in [*self._piles]:
            if heir is not None:
                self._dismiss(heir)
        register.ranks.drop(owner)
        for heir in self._piles:
            self._file(heir)

    def settle(self) -> None:
        """Mend whatever is to be mended, then file everybody as now."""
        while self._helped(None):
            pass
        lowered = True
        while lowered:
            lowered = False
            for heir in self._too_high():
                lowered |= self._lowered(heir)
        register = self._register
        for name in (self._owner, *self._piles):
            if name in register.kinds:
                register.ranks.file(name, register.place(name))

    def _dismiss(self, heir: MemberId) -> None:
        """Take from an heir what it may not have, and then what it has no room for."""
        register, piles = self._register, self._piles[heir]
        kind = None if heir == self._owner else register.kinds.get(heir)
        for topic in [*piles]:
            while topic in piles and (kind is None or topic not in kind.topics):
                self._hand(topic, heir, None)
        while piles and kind is not None and not kind.bears(self._load(heir)):
            self._hand(max(piles), heir, None)

    def _too_high(self) -> list[MemberId]:
        """Return, from the highest on, the heirs above the lowest ceiling: a first, quick look."""
        lowest = self._register.ranks.lowest(self._topics)
        if lowest is None:
            return []
        lifts = ((self._lift(it), it) for it, piles in self._piles.items() if it and piles)
        high = [(lift, heir) for lift, heir in lifts if lift > lowest]
        return [heir for _, heir in sorted(high, key=lambda it: (-it[0], it[1]))]

    def _lowered(self, heir: MemberId) -> bool:
        """Let an heir pass on queues as long as it stands too high; say whether it did."""
        lowered = False
        while self._piles[heir] and self._helped(heir):
            lowered = True
        return lowered

    def _helped(self, source: MemberId | None) -> bool:
        """Pass one queue of the source's on, by the shortest row; say whether there was one.

        For None it is any row that ends at somebody with room (Berge 1957); for an heir one whose
        end stays lower than it even with one queue more.
        """
        piles = self._piles.get(source)
        if not piles:
            return False
        came: dict[TopicName, tuple[MemberId, TopicName] | None] = dict.fromkeys(piles)
        topics = sorted(piles)
        while topics:
            choice, ceiling = self._register.ranks.choose(topics, self._rack)
            if choice is not None and (source is None or ceiling < self._lift(source)):
                self._carry_out(choice, source, came)
                return True
            topics = self._beyond(topics, came)
        return False

    def _beyond(
        self, topics: list[TopicName], came: dict[TopicName, tuple[MemberId, TopicName] | None]
    ) -> list[TopicName]:
        """Return the topics of queues that heirs could pass on if they took one of ``topics``."""
        found: list[TopicName] = []
        if len(came) == len(self._topics):
            return found
        for heir in sorted(it for it, piles in self._piles.items() if it is not None and piles):
            wanted = self._register.kinds[heir].topics
            taken = next((topic for topic in topics if topic in wanted), None)
            for topic in () if taken is None else sorted(self._piles[heir].keys() - came.keys()):
                assert taken is not None, "it takes one"
                came[topic] = (heir, taken)
                found.append(topic)
        return found

    def _carry_out(
        self,
        choice: Choice,
        source: MemberId | None,
        came: dict[TopicName, tuple[MemberId, TopicName] | None],
    ) -> None:
        taker, topic = choice
        while (via := came[topic]) is not None:
            giver, before = via
            self._hand(topic, giver, taker)
            taker, topic = giver, before
        self._hand(topic, source, taker)

    def _hand(self, topic: TopicName, giver: MemberId | None, taker: MemberId | None) -> None:
        """Pass on the first queue of a topic."""
        piles = self._piles[giver]
        queue = heappop(piles[topic])
        if not piles[topic]:
            del piles[topic]
        heappush(self._piles.setdefault(taker, {}).setdefault(topic, []), queue)
        self._register.put(self._owner, queue, taker)
        self._file(giver)
        self._file(taker)

    def _file(self, heir: MemberId | None) -> None:
        """File an heir with what it would take over."""
        if heir is not None and heir != self._owner and heir in self._register.kinds:
            more = self._register.count(self._owner, heir)
            self._register.ranks.file(heir, self._register.place(heir, more))

    def _load(self, heir: MemberId) -> int:
        return self._register.load(heir) + self._register.count(self._owner, heir)

    def _lift(self, heir: MemberId) -> int:
        return self._register.ranks.lift(self._register.kinds[heir], self._load(heir))


def settle_all(register: Register, owners: Iterable[MemberId]) -> None:
    """Settle holdings, in the order of their owners' names."""
    for owner in sorted(owners):
        settle(register, owner)
