"""Controllers: what each has said of itself last, and how long ago.

Called by `trimtab controllers`, and by all views that are watched: what they show is no newer than
the last word of a controller at work. One that was killed says nothing any more, and its last word
stays: it is `silent`.
"""

from typing import Final

from trimtab.protocol import Controller

Row = dict[str, object]
Aged = list[tuple[float, Controller]]
"""How many seconds ago each controller has said something last, and what."""

NARROW = (
    "controller",
    "role",
    "said_s",
    "batch",
    "longest_ms",
    "lag_ms",
    "groups",
    "members",
    "moves",
)
WIDE = ("version", "start", "batches", "mean_ms", "queues", "unassigned", "dead_letters", "page")
SILENT_S: Final = 15.0
"""Three times as long as a controller is silent between two words."""


def row(status: Controller, said_s: float) -> Row:
    """Describe what a controller has said so many seconds ago."""
    times, totals = status.times, status.totals
    return {
        "controller": status.controller,
        "role": _role(status, said_s),
        "said_s": round(said_s),
        "batch": status.batch,
        "longest_ms": times.longest_ms if times else None,
        "lag_ms": status.lag_ms,
        "groups": totals.groups,
        "members": totals.members,
        "moves": status.moves,
        "version": status.version,
        "start": status.start,
        "batches": times.count if times else 0,
        "mean_ms": times.mean_ms if times else None,
        "queues": totals.queues,
        "unassigned": totals.unassigned,
        "dead_letters": status.dead_letters,
        "page": status.page,
    }


def _role(status: Controller, said_s: float) -> str | None:
    """Return what it is: of one that fails, or says nothing any more, its word is not enough."""
    if status.role == "ended":
        return status.role
    if said_s > SILENT_S:
        return "silent"
    return "failing" if status.failures else status.role


def rows(said: Aged, *, living: bool) -> list[Row]:
    """Describe what was said how long ago, all of it or what those said who live."""
    return [
        row(status, age_s)
        for age_s, status in said
        if not living or (age_s <= SILENT_S and status.role != "ended")
    ]


def silence(said: Aged) -> str | None:
    """Say that no controller is at work, as far as that is known here; None: one is."""
    words = [(age_s, it) for age_s, it in said if it.role != "standby"]  # which only waits
    here = [it for age_s, it in words if it.role != "ended" and age_s <= SILENT_S]
    whys = [_trouble(it) for it in here]
    if None in whys:
        return None
    if whys:
        return f"{whys[-1]}: what is shown may be old; see `trimtab controllers list`"
    newest_s = min((age_s for age_s, _ in words), default=None)
    last = "none ever was" if newest_s is None else f"none has said so for {newest_s:.0f} s"
    return (
        f"no controller is at work here ({last}): what is shown may be old, and nothing is "
        "decided; see `trimtab doctor`"
    )


def _trouble(status: Controller) -> str | None:
    """Say why one that speaks decides nothing; its ticks go on also while its query hangs."""
    if status.failures:
        return "a controller is there, and its query fails"
    if status.batch is None:
        return "a controller is there, and has committed nothing yet"
    if (status.lag_ms or 0) > SILENT_S * 1000:
        return f"the controller is {(status.lag_ms or 0) // 1000} s behind"
    return None
