"""Staying: who would go on with queues on trimtab's side that a group takes back to Kafka's.

A member that cannot move (a plain `Consumer`, or one in Java) looks at no side: it works on what it
is granted, beside the owners on Kafka's side, and nobody stops it. So before a group moves back, no
such member may own a queue. A controller that is down has not struck out who has died since; so
only who still beats counts.

Called by `trimtab groups move`. Its one rule: what may not be read is said, and hinders nobody.
"""

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from typing import Final

from console.cluster import bootstrap_servers
from console.errors import Away, ExitCode, Failure, Leaderless
from console.published import Published
from console.views.sentences import several
from console.whole_topics import messages
from trimtab.protocol import HEARTBEATS, Assignment, Beat, UndecodableRecord, decode

_GONE_S: Final = 10.0
"""One that has just been stopped, or killed, is struck out within a session."""
_LOOK_S: Final = 0.5
_ASTRAY_MS: Final = 60_000
"""So much may a clock here be ahead of those that stamp beats."""


def look(
    published: Published,
    group: str,
    now_ms: Callable[[], int],
    note: Callable[[str], object],
    until: float,
    movable: Callable[[], Collection[str]],
) -> None:
    """Refuse a move to Kafka's side while members own queues that are not among those.

    It waits for none to go after ``until``, by the monotonic clock.

    Raises:
        Failure: Some do, or Kafka does not answer.
    """
    deadline = min(until, time.monotonic() + _GONE_S)
    try:
        while (them := _staying(published, group, now_ms(), movable)) and (
            time.monotonic() < deadline
        ):
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
    published: Published, group: str, now_ms: int, movable: Callable[[], Collection[str]]
) -> list[str]:
    told = published.assignments(group).values()
    owners = {_own_name(it): it for it in told if _owns(it)}
    can = movable() if owners else ()  # after that: a new one may own queues before it is in there
    others = {name: it for name, it in owners.items() if name not in can}
    last_beats = _last_beats(published, group, others, now_ms) if others else {}
    latest = max(last_beats.values(), default=0)
    return [
        name
        for name, it in sorted(others.items())
        if name in last_beats and latest - last_beats[name] <= it.session_timeout_ms
    ]


def _own_name(told: Assignment) -> str:
    """What a member calls itself; where twins are told apart, it is known under its life's name."""
    return told.member.removesuffix(f"@{told.incarnation}")


def _owns(told: Assignment) -> bool:
    """Tell whether a member has queues of Kafka's, or is to have some."""
    rows = (told.hold, told.give, told.inherit)
    return any(not row.queue.broker for them in rows for row in them)


def _last_beats(
    published: Published, group: str, told: Mapping[str, Assignment], now_ms: int
) -> dict[str, int]:
    """Return when the last beat of each member came, of those that may live.

    Beats are compared with each other, and no clock here says which is old.
    """
    settings, topic = published.settings, f"{published.settings.topics.prefix}{HEARTBEATS.name}"
    since = now_ms - max(it.session_timeout_ms for it in told.values()) - _ASTRAY_MS
    servers, found = bootstrap_servers(settings), dict[str, int]()
    for message in messages(settings, servers, [topic], key=group, since=since):
        if message.key() == group.encode():
            with suppress(UndecodableRecord):
                beat = decode(HEARTBEATS, message.value())
                if isinstance(beat, Beat):
                    found[beat.member] = message.timestamp()[1]
    return found
