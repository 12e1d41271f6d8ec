"""Standing heirs: for each queue, who would own it if its present owner went.

A holder's record names the standing heir of each queue. A holder that goes releases to it, and
nobody has to be asked: a departure takes milliseconds, also while the controller is away. What the
standing heirs did not foresee is mended by the next target.

What is promised, of what the strategy would do after one departure:

1. An heir is never the owner, is a candidate, wants the topic (``realms``: may have it) and has
   room. As many queues of each member have one as can, if that member alone goes.
2. After that departure no heir stands higher (load / weight) than the highest one of the best
   spread would with one queue more (``settling``). Heirs are of the owner's rack where that costs
   nothing, and racks are no more than ``FEW``; that many more or fewer, and all are settled anew.
3. It is a function of the owners, the heirs as they were and the candidates: not of the order of
   anything, nor of what is kept in memory.
4. When one of M members comes or goes, about 2 N / M of N heirs change: those of its own queues,
   those that it was heir to, or a newcomer's share of them (``evening``).

What a change may concern is looked at, holding by holding: those with other queues, those of whom
an heir changed or has more, and where somebody has less or came, those with an heir so high that
this one would do better. The rest is as good as it was.

To be called once in a step, between ``target.retarget`` and ``baton.settle``, if the target is new
or a member was written. ``candidates`` are those of ``target`` less those that are away or
rest; whoever leaves is none of them any more. To tell who came, went or changed is not needed.

    dealt = deal(standing, candidates, draft.target.owners, draft.target.aimed)

Owners that were renamed count as aimed. ``baton`` settles ``dealt.changes`` beside all else. A
departure is foreseen if the target's owner of each released queue becomes its standing heir before
the strategy is asked (``succession``): STICKY then finds hardly anything to move.

Its one rule: no clock, no chance, and no look at the books.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rebalance.allocation import Applicant, Candidates
from rebalance.groups.standing.evening import even_out
from rebalance.groups.standing.pools import Kind
from rebalance.groups.standing.ranks import FEW
from rebalance.groups.standing.register import Register
from rebalance.groups.standing.settling import settle_all
from rebalance.ids import MemberId, Queue
from rebalance.owners import Owners


class Standing(Mapping[Queue, MemberId]):
    """The standing heirs, by queue, and the owners that they were dealt for.

    Of a state that was unpacked there is no register yet. That makes no difference but in time: the
    next deal looks at every queue.
    """

    __slots__ = ("_told", "owners", "register")

    def __init__(
        self,
        owners: Owners | None = None,
        told: Owners | None = None,
        register: Register | None = None,
    ) -> None:
        """Take the heirs, or a register of them, which is never changed again."""
        self.owners = {} if owners is None else owners
        self.register = register
        self._told = {} if told is None else told

    def heir_of(self, queue: Queue) -> MemberId | None:
        """Return the standing heir of a queue."""
        if self.register is None:
            return self._told.get(queue)
        owner = self.owners.get(queue)
        return None if owner is None else self.register.holdings[owner][queue]

    def heirs(self) -> Owners:
        """Return all of them, as they are stored."""
        if self.register is None:
            return self._told
        holdings = self.register.holdings.values()
        return {
            queue: heir
            for holding in holdings
            for queue, heir in holding.items()
            if heir is not None
        }

    def __getitem__(self, queue: Queue) -> MemberId:
        heir = self.heir_of(queue)
        if heir is None:
            raise KeyError(queue)
        return heir

    def __iter__(self) -> Iterator[Queue]:
        return iter(self.heirs())

    def __len__(self) -> int:
        return len(self.heirs())


@dataclass(frozen=True, slots=True)
class Dealt:
    """What a deal has changed."""

    standing: Standing
    changes: Mapping[Queue, MemberId | None]
    """By queue, in order, the new standing heir, or that it has none any more."""
    looked: int
    """How many queues were looked at."""


def deal(
    before: Standing, candidates: Candidates, owners: Owners, aimed: Collection[Queue] | None
) -> Dealt:
    """Deal standing heirs to candidates: who may be promised a queue, patterns spelt out.

    ``aimed`` are the queues whose owner changed since ``before``, or more; None: not known.
    """
    known, candidates = before.register, _in_few_racks(candidates)
    if known is None or aimed is None:
        register = _anew(before, candidates, owners)
        concerned: Collection[MemberId] = register.holdings.keys()
        register.ranks.begin(len(owners))
    else:
        register = known.copy()
        concerned = _followed(register, before.owners, candidates, owners, aimed)
    settle_all(register, concerned)
    even_out(register, len(_changes(register, owners)))
    register.ranks.rest()
    return Dealt(Standing(owners, {}, register), _changes(register, owners), register.looked)


def _in_few_racks(candidates: Candidates) -> Candidates:
    """Forget racks that are as good as one for each member: nobody is near to anybody.

    And each is a kind of its own, whose rank is looked at for each queue: 600 members with 6,000
    queues took 6 s, and all groups of their worker waited.
    """
    if len({one.rack for one in candidates.values()}) <= FEW:
        return candidates
    return {
        name: Applicant(one.topics, one.weight, one.capacity, "", one.instance)
        for name, one in candidates.items()
    }


def _anew(before: Standing, candidates: Candidates, owners: Owners) -> Register:
    """Write the register from the heirs as they are stored."""
    heirs = before.heirs()
    register = Register.built(candidates, owners, heirs)
    register.was.update((queue, heir) for queue, heir in heirs.items() if queue not in owners)
    return register


def _changes(register: Register, owners: Owners) -> Mapping[Queue, MemberId | None]:
    """Return, in order, the queues whose heir is another than it was."""
    found: dict[Queue, MemberId | None] = {}
    for queue in sorted(register.was):
        owner = owners.get(queue)
        heir = None if owner is None else register.holdings[owner][queue]
        if heir != register.was[queue]:
            found[queue] = heir
    return found


def _followed(
    register: Register,
    before: Owners,
    candidates: Candidates,
    owners: Owners,
    aimed: Iterable[Queue],
) -> set[MemberId]:
    """Enter who came, went or changed, and new owners; return whose holdings to settle."""
    others = _enter_candidates(register, candidates)
    concerned, loads, refiled = set[MemberId](), dict[MemberId, int](), set(others)
    for queue in set(aimed):
        old, new = before.get(queue), owners.get(queue)
        if old != new:
            for name in (old, new):
                if name is not None:
                    loads.setdefault(name, register.load(name))
                    concerned.add(name)
            heir = register.pass_on(queue, old, new)
            if heir is not None:
                refiled.add(heir)
    more = {name for name, load in loads.items() if register.load(name) > load}
    fewer = {name for name, load in loads.items() if register.load(name) < load}
    for name in others | more:
        concerned.update(register.duties.get(name, ()))
    for name in (refiled | more | fewer) & register.kinds.keys():
        register.ranks.file(name, register.place(name))
    register.ranks.begin(len(owners))
    lower = (others | fewer) & register.kinds.keys()
    concerned.update(_outdone(register, lower))
    return concerned


def _enter_candidates(register: Register, candidates: Candidates) -> set[MemberId]:
    """Enter who came, went or is another kind; return their names."""
    known, kinds = register.candidates, register.kinds
    others = set[MemberId]()
    for name in known.keys() - candidates.keys():
        del known[name], kinds[name]
        register.most.pop(name, None)
        register.ranks.drop(name)
        others.add(name)
    for name, one in candidates.items():
        if known.get(name) is not one:
            known[name] = one
            kind = Kind.of(one)
            if kinds.get(name) != kind:
                kinds[name] = kind
                others.add(name)
    return others


def _outdone(register: Register, lower: Collection[MemberId]) -> Iterator[MemberId]:
    """Return whose heirs may stand too high now that some members have less, or room, or came."""
    if not lower:
        return
    ranks = register.ranks
    yield from register.duties.get(None, ())
    for taking, ceiling in _ceilings(register, lower).items():
        near = ranks.connected(taking)
        for kind, load, rank in ranks.each():
            for _, name in rank if kind in near and ranks.lift(kind, load + 1) > ceiling else ():
                yield from register.duties.get(name, ())
        for name in register.most.keys() & register.kinds.keys():
            place, most = register.place(name), register.most[name]
            if place.kind in near and ranks.lift(place.kind, place.load + most) > ceiling:
                yield from register.duties.get(name, ())


def _ceilings(register: Register, lower: Iterable[MemberId]) -> Mapping[Kind, int]:
    """Return, by kind, how high the lowest of those would stand with two queues more."""
    found: dict[Kind, int] = {}
    for kind, load, _ in map(register.place, lower):
        height = register.ranks.lift(kind, load + 2)
        found[kind] = min(height, found.get(kind, height))
    if len(found) <= FEW:
        return found
    lowest = min(found, key=lambda kind: found[kind])
    return {lowest: found[lowest]}  # of so many kinds each is near to all (``Ranks.connected``)
