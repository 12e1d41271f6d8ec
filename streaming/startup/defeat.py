"""The defeat: a controller that was taken over does not take back what its successor works on.

Of two controllers the one that started later goes on. A supervisor that starts the other one again
makes that the later one; two of them would take from each other for ever. So who was taken over
leaves a note in its home, and with that note it starts only when nobody else ticks any more.

Asked by ``start`` before it says that it starts; noted by ``application``. Its one rule: without a
note nothing is asked, so whoever is started on purpose takes over.
"""

from pathlib import Path
from threading import Event

from streaming.options import Options
from streaming.startup.activity import Activity

_NAME = "defeat"


def note(home: Path) -> None:
    """Note that another controller has taken over from the one of this home."""
    _note(home).touch()


def forget(home: Path) -> None:
    """This one is the active controller again."""
    _note(home).unlink(missing_ok=True)


def victor(options: Options, stop: Event) -> str | None:
    """Return who has taken over from this home and is still at work; None: nobody.

    Raises:
        NotTold: Kafka does not say where its topics end.
    """
    if not _note(options.home).exists():
        return None
    activity = Activity(options, _NAME)
    try:
        while activity.over() is None and not stop.is_set():
            if activity.is_seen:
                return activity.last
            activity.listen()
        return None
    finally:
        activity.close()


def _note(home: Path) -> Path:
    return home / "taken-over"
