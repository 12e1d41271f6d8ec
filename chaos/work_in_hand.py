"""Work in hand: who had a queue when, as the messages tell that its members had in hand.

RocketMQ's listeners are told of no queue that comes or goes. So a life begins with a queue when it
is handed the first message of it under a token, and ends when it is through with the last one
before another begins. Pure; used by `on_rocketmq`, whose histories are then judged like all others.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from chaos.checks import CHECKS, Checks
from chaos.commit_checks import brokers_go_back, committed_before_its_effect
from chaos.history import Event, History, name_of

BACK: Final = "committed offsets never decrease"
EARLY: Final = "nothing is committed before its effect"
_UNTOLD: Final = frozenset(
    {
        "nobody works without a grant",  # whose a queue is shows only in the work
        "nobody gives up what is in hand",  # so does when it is given up
        EARLY,  # where it fails, it is committed, and comes again in a queue for what has failed
    }
)
"""The checks of what these histories do not tell."""
IN_ORDER: Final = "the messages of a queue are worked on in order"
_ENDS: Final = {"killed", "died", "ended"}


def checks_of(*, in_order: bool) -> Checks:
    """The checks of what is told; and of consumers that take the messages of a queue in order."""
    told = {name: check for name, check in CHECKS.items() if name not in _UNTOLD}
    told[BACK] = brokers_go_back
    of_order = {IN_ORDER: out_of_order, EARLY: committed_before_its_effect}
    return told | of_order if in_order else told


def out_of_order(history: History) -> Iterator[str]:
    """Nothing is handed out before the message before it has had its effect."""
    done = {(it.queue, -1) for it in history}
    for event in history:
        if event.kind == "effect":
            done.add((event.queue, event.offset))
        elif event.kind == "handed" and (event.queue, event.offset - 1) not in done:
            yield f"queue {event.queue}: {event.who} is handed {event.offset} before its turn"


@dataclass
class _Run:
    """A life's time with a queue, so far."""

    who: str
    token: int
    in_hand: int = 0
    last_at: int = 0
    """When it was through with a message."""
    ended_by: str = ""
    """Another life that has begun meanwhile."""


def with_tenures(history: History) -> History:
    """Add when each life began with each queue, and when it ended.

    A life ended by a twin has lost its queue; whoever is followed by another one gave it. A message
    that comes under a lower token than that of an owner before begins nothing: it is late, and a
    check of its own counts those.
    """
    runs = defaultdict[int, list[_Run]](list)
    highest = defaultdict[int, int](int)
    found = list(history)
    for event in history:
        if event.kind == "handed" and event.token >= highest[event.queue]:
            highest[event.queue] = event.token
            found += _begin(event, runs[event.queue])
        if event.kind in {"handed", "done"}:
            found += _move(event, runs[event.queue])
        elif event.kind in _ENDS:
            for those in runs.values():
                those[:] = [it for it in those if it.who != event.who]
    return tuple(sorted(found))


def _begin(event: Event, runs: list[_Run]) -> list[Event]:
    """A life is handed a message of a queue: it begins with it, unless it had it before."""
    if any((it.who, it.token) == (event.who, event.token) for it in runs):
        return []
    for run in runs:
        run.ended_by = run.ended_by or event.who
    ended = _ended(event.queue, runs)
    runs.append(_Run(event.who, event.token, last_at=event.at))
    return [*ended, Event(event.at, event.who, "began", event.queue, event.token)]


def _move(event: Event, runs: list[_Run]) -> list[Event]:
    """One message more, or less, is in hand."""
    for run in runs:
        if (run.who, run.token) == (event.who, event.token):
            run.in_hand += 1 if event.kind == "handed" else -1
            run.last_at = event.at
    return _ended(event.queue, runs)


def _ended(queue: int, runs: list[_Run]) -> list[Event]:
    """Those that have nothing in hand, and are followed by another one."""
    over = [it for it in runs if it.ended_by and not it.in_hand]
    runs[:] = [it for it in runs if it not in over]
    return [
        Event(
            it.last_at,
            it.who,
            "lost" if name_of(it.who) == name_of(it.ended_by) else "gave",
            queue,
            it.token,
        )
        for it in over
    ]
