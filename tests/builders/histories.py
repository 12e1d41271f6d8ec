"""Histories of chaos, event by event: for tests of what is judged in them."""

from collections.abc import Iterable

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
