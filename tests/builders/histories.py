"""Histories of chaos, event by event: for tests of what is judged in them."""

from collections.abc import Iterable
from dataclasses import replace

from chaos.history import Event, EventKind, History, S


def at(second: float, who: str, kind: EventKind, **more: int) -> Event:
    """An event; all are of queue 0 unless they say another."""
    fields = {"queue": 0, **more}
    return Event(round(second * S), who, kind, **fields)  # type: ignore[arg-type]  # numbers


def message(second: float, who: str, offset: int, token: int) -> list[Event]:
    """One that is acknowledged, handed out, takes effect and is done; its number is its offset."""
    more = {"offset": offset, "number": offset, "token": token}
    return [
        at(second - 0.1, "producer", "acked", offset=offset, number=offset),
        at(second, who, "handed", **more),
        at(second + 0.01, who, "effect", **more),
        at(second + 0.011, who, "done", **more),
    ]


def ordered(events: Iterable[Event]) -> History:
    """A history."""
    return tuple(sorted(events))


def without(history: History, kind: EventKind, who: str = "") -> History:
    """A history in which some events did not happen."""
    return tuple(it for it in history if it.kind != kind or (who and it.who != who))


def moved(history: History, kind: EventKind, who: str, seconds: float) -> History:
    """A history in which something happened earlier, or later."""
    return ordered(
        replace(it, at=it.at + round(seconds * S)) if (it.kind, it.who) == (kind, who) else it
        for it in history
    )


def woken(*commits: tuple[float, int]) -> History:
    """What a member that is frozen for 17 s commits when it wakes, by second and offset.

    It had come to 1052, and its heir to 1484.
    """
    return ordered(
        [
            at(1, "m0.1", "began", token=1),
            at(2, "m0.1", "handed", token=1, offset=1_051),
            at(2.5, "kafka", "committed", token=1, offset=1_040),
            at(3, "m0.1", "stopped"),
            at(14, "m1.1", "began", token=2),
            at(19, "kafka", "committed", token=2, offset=1_484),
            at(20, "m0.1", "resumed"),
            at(20.1, "m0.1", "lost", token=1),
            *(at(20 + late, "kafka", "committed", token=1, offset=to) for late, to in commits),
            at(29, "round", "healed"),
            at(30, "round", "rested"),
        ]
    )


def twice(history: History) -> History:
    """The same a minute later, on another queue."""
    again = (replace(it, at=it.at + 60 * S, queue=1) for it in history if it.kind != "rested")
    ends = at(91, "round", "rested")
    return ordered([*(it for it in history if it.said or it.who != "round"), *again, ends])
