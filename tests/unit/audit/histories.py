"""Histories in short: one call an entry, with queues and grants as the brain's tests write them.

    told = ShownHistory()
    told.joined("a"), told.issued("a", 1, hold="orders-0@1")
    assert [] == told.wrong

Lives are ``a`` (the first) and ``a:2``. ``orders-0@1>2`` is held or given, and 2 comes next; if
nothing does, ``orders-0@1``. ``orders-0@2<a@1`` is inherited: epoch 2, on a release of
epoch 1 of the first life of a that names it, which is ``orders-0@1>2``.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from audit.checker import Checker, Promises
from audit.history import (
    BeatSeen,
    Commanded,
    DrainAsked,
    Effaced,
    Entry,
    Grant,
    Held,
    Inheritance,
    Issued,
    Joined,
    Left,
    Life,
    Naming,
    Place,
    Queue,
    Released,
    Removed,
    Routed,
    Started,
    Summarised,
    Ticked,
    Withdrawn,
)
from audit.violations import Violation

GROUP = "billing"
SESSION_MS = 10_000
HEARTBEAT_MS = 2_000


def life(text: str) -> Life:
    """Read a life."""
    member, _, incarnation = text.partition(":")
    return Life(member, incarnation or "1")


def queue(text: str) -> Queue:
    """Read a queue."""
    topic, _, number = text.rpartition("-")
    return (topic, "", int(number))


def grants(text: str) -> tuple[Grant, ...]:
    """Read grants, separated by spaces."""
    pairs = (each.split("@") for each in text.split())
    return tuple(Grant(queue(name), int(epoch)) for name, epoch in pairs)


def namings(text: str) -> tuple[Naming, ...]:
    """Read grants that are over, what comes next, and whose that is: ``orders-0@1>2=b:2``."""
    return tuple(_naming(each) for each in text.split())


def _naming(text: str) -> Naming:
    over, _, named = text.partition(">")
    (grant,) = grants(over)
    epoch, _, who = named.partition("=")
    return Naming(*grant, int(epoch) if epoch else None, life(who) if who else None)


def inheritances(text: str) -> tuple[Inheritance, ...]:
    """Read inheritances, separated by spaces."""
    return tuple(_inheritance(each) for each in text.split())


def _inheritance(text: str) -> Inheritance:
    own, _, other = text.partition("<")
    (grant,), (who, _, epoch) = grants(own), other.partition("@")
    return Inheritance(*grant, life(who), int(epoch))


class ShownHistory:
    """One group's history, judged as it is told."""

    def __init__(self, promises: Promises | None = None) -> None:
        self.checker = Checker(promises or Promises(max_clock_step_ms=5_000, exact=True))
        self.wrong: list[str] = []
        """The invariants that were broken, in order."""
        self.details: list[str] = []
        self.now = 0
        self._offset = 0
        self._sequence = 0

    def joined(
        self, who: str, topics: str = "orders", *, patterns: str = "", **wishes: int
    ) -> Place:
        """A member joins; ``eager=1``, ``broadcasting=1`` and ``sharing=1`` are manners."""
        at, wanted = self._place("members"), frozenset(topics.split())
        weight, capacity = wishes.get("weight", 1), wishes.get("capacity")
        wild = frozenset(patterns.split())
        number = self._next()
        manners = [wishes.get(manner, 0) for manner in ("eager", "broadcasting", "sharing")]
        said = (life(who), number, wanted, weight, capacity, wild)
        return self._take(Joined(at, GROUP, *said, *map(bool, manners)))

    def beats(self, who: str, epoch: int = 0, owned: str | None = None, **number: int) -> Place:
        """A member beats; its sequence grows unless one is given."""
        listed = None if owned is None else grants(owned)
        sequence = number.get("sequence", self._next())
        return self._take(
            BeatSeen(self._place("heartbeats"), GROUP, life(who), sequence, epoch, listed)
        )

    def releases(self, who: str, what: str) -> Place:
        """A life is done with queues; ``orders-0@1>2`` names the grant that begins."""
        return self._take(Released(self._place("releases"), GROUP, life(who), namings(what)))

    def drains(self, who: str) -> Place:
        """A member wants to go."""
        return self._take(DrainAsked(self._place("members"), GROUP, life(who), self._next()))

    def leaves(self, who: str) -> Place:
        """A member is gone."""
        return self._take(Left(self._place("members"), GROUP, life(who), self._next()))

    def commanded(self, verb: str) -> Place:
        """An operator orders."""
        return self._take(Commanded(self._place("commands"), GROUP, verb))

    def held(self, *members: str) -> Place:
        """It is said that these are not removed yet."""
        return self._take(Held(self._place("history"), GROUP, frozenset(members)))

    def ticks(self, after_ms: int = 1_000) -> Place:
        """Time goes by."""
        self.now += after_ms
        return self._take(Ticked(self._place("heartbeats")))

    def routed(self, topic: str, queues: int, version: int = 1) -> Place:
        """The watcher sees a topic."""
        seen = tuple((topic, "", number) for number in range(queues))
        return self._take(Routed(self._place("routes"), GROUP, topic, version, seen))

    def started(self, start: str = "") -> Place:
        """A controller takes note of what is published."""
        return self._take(Started(self._place("routes"), GROUP, start))

    def issued(
        self,
        who: str,
        epoch: int,
        *,
        unheard: bool = False,
        common: bool = False,
        apart: bool = False,
        **orders: str,
    ) -> Place:
        """A member is sent orders: hold, give, inherit, share; ``content`` stands for the bytes.

        ``unnamed`` more to inherit were cut off; it is to beat every so many ms (``beats``).
        """
        held, given = namings(orders.get("hold", "")), namings(orders.get("give", ""))
        hold, give = (tuple(Grant(it.queue, it.epoch) for it in said) for said in (held, given))
        nexts = tuple(it.next for it in (*held, *given))
        inherit = inheritances(orders.get("inherit", ""))
        content = orders.get("content", f"{epoch} {orders}")
        at = self._place("assignments")
        said = (life(who), epoch, hold, give, inherit, SESSION_MS, content)
        shared = tuple(Grant(it.queue, it.epoch) for it in namings(orders.get("share", "")))
        beats = int(orders.get("beats", HEARTBEAT_MS))
        more = (beats, nexts, int(orders.get("unnamed", "0")), shared)
        return self._take(Issued(at, GROUP, *said, unheard, common, apart, *more))

    def withdrawn(self, member: str) -> Place:
        """A member's orders are withdrawn."""
        return self._take(Withdrawn(self._place("assignments"), GROUP, member))

    def removed(self, who: str, cause: Place, how: str = "expired") -> Place:
        """The history says that a life ended."""
        return self._take(Removed(self._place("history"), GROUP, life(who), how, cause))

    def summarised(
        self,
        epoch: int,
        state: str = "stable",
        content: str = "",
        percent: int | None = None,
        **more: Any,  # noqa: ANN401 - what else a summary says
    ) -> Place:
        """The group is summarised; perhaps it has a share of silent members of its own."""
        record = Summarised(self._place("groups"), GROUP, epoch, state, f"{epoch} {content}")
        return self._take(replace(record, own_blast=(None, percent, None), **more))

    def effaced(self) -> Place:
        """The group's last summary is taken back."""
        return self._take(Effaced(self._place("groups"), GROUP))

    def batch_ends(self) -> None:
        """Everything of a batch has been told."""
        self._note(list(self.checker.batch_ends()))

    def ends(self) -> None:
        """There is nothing more to tell."""
        self._note(list(self.checker.ends()))

    def rests(self, *, acknowledged: bool = True) -> list[str]:
        """What is wrong with the group if this is how it stays."""
        return [it.detail for it in self.checker.at_rest(GROUP, acknowledged=acknowledged)]

    def _take(self, entry: Entry) -> Place:
        self._note(list(self.checker.take(entry)))
        return entry.at

    def _note(self, violations: Sequence[Violation]) -> None:
        self.wrong += [str(each).split()[0] for each in violations]
        self.details += map(str, violations)

    def _place(self, topic: str) -> Place:
        self._offset += 1
        return Place(topic, 0, self._offset, self.now)

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence


def a_member(*, exact: bool = True) -> ShownHistory:
    """A member that was answered and has just beat_of, after the clock's first stroke."""
    told = ShownHistory(Promises(max_clock_step_ms=5_000, exact=exact))
    told.ticks()
    told.joined("a")
    told.issued("a", 1)
    told.ticks()
    told.beats("a")
    return told


def a_hand_over() -> ShownHistory:
    """A holds two queues under 1; it is told to give the first, and b to inherit it under 2."""
    told = ShownHistory()
    told.joined("a")
    told.joined("b")
    told.joined("c")
    told.issued("a", 1, hold="orders-0@1 orders-1@1")
    told.issued("a", 2, hold="orders-1@1", give="orders-0@1")
    told.issued("b", 2, inherit="orders-0@2<a@1")
    return told
