"""The members of the generator: what each of them says next, prepared ahead.

A beat that says nothing new is the member's last one with another number, so both halves of it are
kept. Used by ``generator``. Its one rule: it says what the SDK's members say, marks and releases
too. Only sessions are longer, so that whoever is late here is measured and not evicted; and an heir
begins when the controller says so, not by the release, which costs the controller the same.
"""

import itertools
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from random import Random
from typing import Any, Final

from trimtab.protocol import (
    HEARTBEATS,
    MEMBERS,
    RELEASES,
    Assignment,
    Beat,
    GrantRef,
    HolderRef,
    Join,
    Leave,
    Release,
    ReleaseRef,
    Topic,
    encode,
    partition_of,
)

_SESSION_MS: Final = 600_000
_SEED: Final = 5
_BEGAN_MS: Final = 1_767_225_600_000
_WITHIN_MS: Final = 86_400_000
"""Processes began within a day: no two lives look alike, or the state would be packed too well."""
_NUMBER: Final = b'"sequence":1,'
_Halves = tuple[bytes, bytes]

Said = tuple[Topic[Any], bytes]
"""A record, and where it goes."""


class Kind(StrEnum):
    """What the members are."""

    SDK = "sdk"
    """Members of the SDK, each of one group."""
    ROCKETMQ = "rocketmq"
    """RocketMQ's own clients, known by copies of their heartbeats (``clients``)."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the generator is told."""

    servers: str
    prefix: str
    partitions: int
    topic: str
    groups: int
    size: int
    """Members of each group."""
    interval_s: float
    answered: bool
    """Whether somebody answers joins: the floor does not."""
    rolling_s: float = 0.0
    """How long a rolling restart of everybody takes; 0: there is none."""
    churn_s: float = 0.0
    """In how long everybody leaves once and comes again, over and over; 0: nobody does."""
    kind: str = Kind.SDK

    def text(self) -> str:
        """As it is handed over."""
        return json.dumps(asdict(self))


class Members:
    """All of them, by number."""

    beats_by = HEARTBEATS
    """The topic of what they say again and again."""

    def __init__(self, told: Told) -> None:
        self.count = told.groups * told.size
        self._told = told
        groups = [f"load-{number}" for number in range(told.groups)]
        self._places = [(it.encode(), partition_of(it, told.partitions)) for it in groups]
        self._dice = Random(_SEED)
        self._names = [name for _ in groups for name in _named(self._dice, told.size)]
        self._numbers = {it: number for number, it in enumerate(self._names)}
        self._lives = [_life(self._dice, _BEGAN_MS) for _ in range(self.count)]
        self._sequences = [itertools.count(1) for _ in range(self.count)]
        """One counter for all that a life says; the thread that hears says something as well."""
        self._beats = [self._halves(it, 0, None) for it in range(self.count)]
        self._away = set[int]()
        self._full: dict[int, _Halves] = {}
        """Of those that were told something: their next beat says what they own."""
        self._untold = set(range(self.count)) if told.answered else set[int]()
        self._held: dict[int, tuple[HolderRef, ...]] = {}
        """What each works on."""

    @property
    def are_at_work(self) -> bool:
        """Whether each was told what it owns, and has said so."""
        return not self._untold and not self._full

    def place(self, it: int) -> tuple[bytes, int]:
        """Return the key and the partition of a member's records."""
        return self._places[it // self._told.size]

    def joins(self, it: int) -> tuple[Said, ...]:
        """Come, and mark the releases."""
        join = Join(
            **self._signature(it),
            topics=(self._told.topic,),
            session_timeout_ms=_SESSION_MS,
            instance=self._names[it] if self._told.rolling_s else None,
            marks=True,
        )
        return (MEMBERS, encode(join)), self._releases(it)

    def restarts(self, it: int) -> tuple[Said, ...]:
        """Go for a moment, and come in another life: under one instance, so that no queue moves."""
        kept = [row.let_go._replace(next=None, to=None) for row in self._held.pop(it, ())]
        return *self._goes(it, kept, temporary=True), *self._begins(it)

    def leaves(self, it: int) -> tuple[Said, ...]:
        """Go for good: its queues pass to others."""
        self._away.add(it)
        return self._goes(it, [row.let_go for row in self._held.pop(it, ())], temporary=False)

    def returns(self, it: int) -> tuple[Said, ...]:
        """Come as somebody new, under the same name."""
        self._away.discard(it)
        return self._begins(it)

    def _goes(self, it: int, rows: Iterable[ReleaseRef], *, temporary: bool) -> tuple[Said, ...]:
        self._full.pop(it, None)
        released = self._releases(it, rows, gone=True)
        leave = Leave(**self._signature(it), temporary=temporary)
        return released, (MEMBERS, encode(leave))

    def _begins(self, it: int) -> tuple[Said, ...]:
        self._lives[it] = _life(self._dice, _began_ms(self._lives[it]) + 1)
        self._sequences[it] = itertools.count(1)
        self._beats[it] = self._halves(it, 0, None)
        return self.joins(it)

    def is_away(self, it: int) -> bool:
        """Tell whether it has left, and does not beat."""
        return it in self._away

    def beats(self, it: int) -> bytes:
        """Say that it is there."""
        before, after = self._full.pop(it, self._beats[it])
        return b'%b"sequence":%d,%b' % (before, next(self._sequences[it]), after)

    def hears(self, said: Assignment) -> Iterator[Said]:
        """Take what is said to one of them, if it is to its present life; yield what it answers.

        A mark, once, as one that was written before the answer may be older than the join; and a
        release of what it is to give.
        """
        it = self._numbers.get(said.member)
        if it is None or said.incarnation != self._lives[it] or it in self._away:
            return
        owned = tuple(GrantRef(*row.queue, row.epoch) for row in said.hold)
        self._beats[it] = self._halves(it, said.epoch, None)
        self._full[it] = self._halves(it, said.epoch, owned)
        self._untold.discard(it)
        is_first = it not in self._held
        self._held[it] = said.hold  # before it answers: meanwhile it may leave
        if is_first or said.give:
            yield self._releases(it, (row.let_go for row in said.give))

    def _releases(self, it: int, rows: Iterable[ReleaseRef] = (), *, gone: bool = False) -> Said:
        """Let queues go; without one it is a mark."""
        said = Release(**self._signature(it), queues=tuple(rows), gone=True if gone else None)
        return RELEASES, encode(said)

    def _signature(self, it: int) -> dict[str, Any]:
        return {
            "member": self._names[it],
            "incarnation": self._lives[it],
            "sequence": next(self._sequences[it]),
        }

    def _halves(self, it: int, epoch: int, owned: tuple[GrantRef, ...] | None) -> _Halves:
        beat = Beat(
            member=self._names[it],
            incarnation=self._lives[it],
            sequence=1,
            epoch=epoch,
            owned=owned,
        )
        before, _, after = encode(beat).partition(_NUMBER)
        return before, after


def rolled(count: int, slices: int) -> Iterator[range]:
    """Give the members to restart in each slice of a second, in order."""
    for number in range(slices):
        yield _part(count, slices, number)


def churned(count: int, slices: int, away: int) -> Iterator[tuple[range, range]]:
    """Give those that leave and those that come again in each slice of a second, without end.

    Args:
        count: How many members there are.
        slices: In how many slices each leaves once; 0: nobody does.
        away: For how many slices it is away: fewer than that.
    """
    if not slices:
        return
    for number in itertools.count():
        leaves = _part(count, slices, number % slices)
        returns = _part(count, slices, (number - away) % slices) if number >= away else range(0)
        yield leaves, returns


def _part(count: int, slices: int, number: int) -> range:
    return range(count * number // slices, count * (number + 1) // slices)


def _named(dice: Random, size: int) -> Iterator[str]:
    """Name the members of a group as the SDK does: by their host, here a pod, and by chance."""
    replicas = f"{dice.getrandbits(36):09x}"
    for _ in range(size):
        yield f"orders-{replicas}-{dice.getrandbits(20):05x}-{dice.getrandbits(32):08x}"


def _life(dice: Random, earliest_ms: int) -> str:
    return f"{earliest_ms + dice.randrange(_WITHIN_MS)}-{dice.getrandbits(32):08x}"


def _began_ms(life: str) -> int:
    return int(life.partition("-")[0])
