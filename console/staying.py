"""Staying: who would go on with queues on trimtab's side that a group takes back to Kafka's.

A member that cannot move (a plain `Consumer`, or one in Java) looks at no side: it works on what it
is granted, beside the owners on Kafka's side, and nobody stops it. So before a group moves back, no
such member may own a queue. A controller that is down has not struck out who has died since; so
only who still beats counts. No clocks are compared: who says nothing new while it is waited for a
session is gone, whenever it was heard last.

Called by `trimtab groups move`. Its one rule: what may not be read is said, and hinders nobody.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Final

from console.cluster import bootstrap_servers
from console.errors import Away, ExitCode, Failure, Leaderless
from console.published import Published
from console.views.sentences import several
from console.whole_topics import end_of, messages
from trimtab.protocol import HEARTBEATS, Assignment, Beat, UndecodableRecord, decode

_MORE_S: Final = 5.0
"""Who lives may be silent for a session and this: Kafka may just have come back, and clients may
connect anew only after seconds."""
_LOOK_S: Final = 0.5

Life = tuple[str, str]
"""What a member calls itself, and its incarnation: one name may be a whole fleet's."""


def look(
    published: Published,
    group: str,
    note: Callable[[str], object],
    until: float,
    movable: Callable[[], Mapping[str, int]],
) -> None:
    """Refuse a move to Kafka's side while members own queues that are not among those.

    Of those that can move Kafka knows the names, and how many there are of each; one that was
    killed counts until Kafka's session of it is over.
    It waits for none to go after ``until``, by the monotonic clock.

    Raises:
        Failure: Some do, or Kafka does not answer.
    """
    watch = _Watch(published, group)
    try:
        while (them := _staying(watch, movable)) and time.monotonic() < min(until, watch.until):
            time.sleep(_LOOK_S)
    except Failure as error:
        if isinstance(error, Away) and not isinstance(error, Leaderless):
            raise
        note(f"whether members that cannot move own queues was not looked at: {error}")
        return
    if them:
        count = f"{len(them)} of its members on trimtab's side cannot move"
        text = f"{group} stays: {count}, and would go on with their queues: {several(them)}"
        remedy = "make each a MovingConsumer first, or stop it"
        raise Failure(f"{text}; {remedy}", ExitCode.UNHEALTHY)


class _Watch:
    """Who says something new, from the first look on."""

    def __init__(self, published: Published, group: str) -> None:
        self._published, self._group = published, group
        self._read_to: dict[int, int] | None = None
        self._looked_s = time.monotonic()
        self._heard_s = dict[Life, float]()
        self.until = self._looked_s
        """When all are known that were gone at the first look."""

    def told(self) -> Collection[Assignment]:
        """Return what the members were told last."""
        return self._published.assignments(self._group).values()

    def living(self, told: Mapping[Life, Assignment]) -> set[Life]:
        """Return which of these may live."""
        is_first, heard, now = self._read_to is None, self._news(), time.monotonic()
        patience_s = {it: said.session_timeout_ms / 1_000 + _MORE_S for it, said in told.items()}
        if is_first:
            self.until = now + max(patience_s.values())
        elif now - self._looked_s > min(patience_s.values()) / 2:
            self._heard_s.clear()  # Kafka has kept us waiting, and may have heard nobody
        self._looked_s = now
        self._heard_s |= dict.fromkeys(heard, now)
        return {
            it
            for it, patience in patience_s.items()
            if now - self._heard_s.setdefault(it, now) < patience
        }

    def _news(self) -> set[Life]:
        """Return who has said something since the last look."""
        settings = self._published.settings
        servers, topic = bootstrap_servers(settings), f"{settings.topics.prefix}{HEARTBEATS.name}"
        if self._read_to is None:
            end = end_of(settings, servers, topic, self._group)
            self._read_to = {end.partition: end.offset}
        found = set[Life]()
        for it in messages(settings, servers, [topic], key=self._group, since={**self._read_to}):
            self._read_to[it.partition() or 0] = (it.offset() or 0) + 1
            if it.key() == self._group.encode():
                with suppress(UndecodableRecord):
                    beat = decode(HEARTBEATS, it.value())
                    if isinstance(beat, Beat):
                        found.add((beat.member, beat.incarnation))
        return found


def _staying(watch: _Watch, movable: Callable[[], Mapping[str, int]]) -> list[str]:
    told = watch.told()
    lives = {(_own_name(it), it.incarnation): it for it in told}
    owners = {life for life, it in lives.items() if _owns(it)}
    can = movable() if owners else {}  # after that: a new one may own queues before it is in there
    if not owners or not _too_many(lives, can):
        return []
    living = watch.living(lives)
    astray = _too_many(living, can)
    return sorted({name for name, life in owners & living if name in astray})


def _too_many(lives: Collection[Life], can: Mapping[str, int]) -> set[str]:
    """Name those of whom more live than can move."""
    return {
        it for it, count in Counter(name for name, _ in lives).items() if count > can.get(it, 0)
    }


def _own_name(told: Assignment) -> str:
    """What a member calls itself; where twins are told apart, it is known under its life's name."""
    return told.member.removesuffix(f"@{told.incarnation}")


def _owns(told: Assignment) -> bool:
    """Tell whether a member has queues of Kafka's, or is to have some."""
    rows = (told.hold, told.give, told.inherit)
    return any(not row.queue.broker for them in rows for row in them)
