"""Staying: who would go on with queues on trimtab's side that a group takes back to Kafka's.

A member that cannot move (a plain `Consumer`, or one in Java) looks at no side: it works on what it
is granted, beside the owners on Kafka's side, and nobody stops it. So before a group moves back, no
such member may own a queue. A controller that is down has not struck out who has died since; so
only who still beats counts. No clock here is asked: beats are compared with each other.

Called by `trimtab groups move`. Its one rule: what may not be read is said, and hinders nobody.
"""

import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import Final

from confluent_kafka import Message

from console.cluster import bootstrap_servers
from console.errors import Away, ExitCode, Failure, Leaderless
from console.published import Published
from console.views.sentences import several
from console.whole_topics import end_of, messages
from trimtab.protocol import HEARTBEATS, Assignment, Beat, UndecodableRecord, decode

_GONE_S: Final = 10.0
"""One that has just been stopped, or killed, is struck out within a session."""
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
    deadline = min(until, time.monotonic() + _GONE_S)
    try:
        while (them := _staying(published, group, movable)) and (time.monotonic() < deadline):
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


def _staying(
    published: Published, group: str, movable: Callable[[], Mapping[str, int]]
) -> list[str]:
    told = published.assignments(group).values()
    lives = {(_own_name(it), it.incarnation): it for it in told}
    owners = {life for life, it in lives.items() if _owns(it)}
    can = movable() if owners else {}  # after that: a new one may own queues before it is in there
    if not owners or not _too_many(lives, can):
        return []
    living = _living(published, group, lives)
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


def _living(published: Published, group: str, told: Mapping[Life, Assignment]) -> AbstractSet[Life]:
    """Return which of these may live: all of them, if nobody was heard for a while."""
    settings, topic = published.settings, f"{published.settings.topics.prefix}{HEARTBEATS.name}"
    servers, session_ms = bootstrap_servers(settings), max(map(_session_ms, told.values()))
    end = end_of(settings, servers, topic, group)
    last = {end.partition: end.offset - 1}
    stamps = [_stamp(it) for it in messages(settings, servers, [topic], key=group, since=last)]
    if not stamps:
        return told.keys()
    before = latest = max(stamps) - session_ms
    silent_ms, found = 0, dict[Life, int]()
    for message in messages(settings, servers, [topic], key=group, since=before):
        latest = max(latest, _stamp(message))
        silent_ms, before = max(silent_ms, latest - before), latest
        if message.key() == group.encode():
            with suppress(UndecodableRecord):
                beat = decode(HEARTBEATS, message.value())
                if isinstance(beat, Beat):
                    found[beat.member, beat.incarnation] = latest
    if silent_ms > session_ms // 2:
        return told.keys()
    return {it for it, at in found.items() if it in told and latest - at <= _session_ms(told[it])}


def _session_ms(told: Assignment) -> int:
    return told.session_timeout_ms


def _stamp(message: Message) -> int:
    """When Kafka has got it."""
    at: int = message.timestamp()[1]
    return at
