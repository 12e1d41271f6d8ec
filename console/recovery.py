"""What keeps a controller from going on with its checkpoint, and what to do about it.

The same rules as at its start, and a look at the files beside them. A start ends with the first
thing that is wrong, or with a stack trace of Spark. Here everything is said at once.

Called by `trimtab recover`. Its one rule: it changes nothing, neither files nor topics.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from console.settings import Settings
from console.wiring import options
from rebalance.clock import Log
from streaming.pipeline import MOST_WAITING
from streaming.session import session_options
from streaming.startup.batch_logs import (
    COMMITS,
    MOVED,
    NEW_TERMS,
    OFFSETS,
    SOURCES,
    TERMS,
    frozen_options,
    positions_in,
)
from streaming.startup.damage import damaged_terms, last
from streaming.startup.losses import looking_trouble, losses, survey, unread
from streaming.startup.terms import (
    dealt_otherwise,
    differences,
    frozen,
    present_terms,
    read,
)

COLUMNS = ("subject", "finding", "remedy")
SETTINGS = "settings"
BY_ITSELF = "`trimtab run`: it begins a new checkpoint by itself, and no queue moves"


class Obstacle(NamedTuple):
    """What keeps a controller from going on, where, and what to do."""

    subject: str
    finding: str
    remedy: str

    def row(self) -> dict[str, object]:
        """Return it for a table."""
        return dict(self._asdict())


def present(place: Path) -> Path:
    """Return where a checkpoint is now: there, or where the last standby has put it."""
    moved = (it for it in place.parent.glob("*.at-*") if MOVED.sub("", it.name) == place.name)
    used = (it for it in moved if any((it / name).exists() for name in (TERMS, NEW_TERMS)))
    return max(used, default=place)


def of_files(damaged: Iterable[str], *, refused: bool) -> Iterator[Obstacle]:
    """Say what is wrong with the files; of those that a start refuses nothing goes by itself."""
    remedy = f"first what is said of settings; then {BY_ITSELF}" if refused else BY_ITSELF
    for damage in damaged:
        yield Obstacle("files", damage, remedy)


def of_settings(
    settings: Settings, checkpoint: Path, servers: str, *, damaged: bool
) -> Iterator[Obstacle]:
    """Say what does not fit the settings, or what Kafka holds.

    Of one that is damaged only what it was begun with counts: no other file of it is gone on with.

    Raises:
        NotSurveyed: Kafka does not answer.
    """
    chosen = options(settings, bootstrap_servers=servers, jars=Path())
    shelf = survey(chosen, looking_trouble())
    text = _terms(checkpoint)
    before = None if text is None else read(text)
    now = present_terms(chosen, shelf.cluster, shelf.topics)
    then = {} if damaged else _options(checkpoint)
    refused = (
        *(() if any(damaged_terms(checkpoint)) else differences(before, now)),
        *frozen(then, then | session_options(chosen)),  # Spark's own defaults are of its version
        *dealt_otherwise(before, then),
    )
    for it in refused:
        yield Obstacle(SETTINGS, it.what, it.remedy)
    if damaged:
        return
    at = _positions(checkpoint)
    for topic, lost in losses(at, before.topics if before else {}, shelf).items():
        what = lost if isinstance(lost, str) else f"{lost} records are gone that were not read"
        yield Obstacle(topic, what, BY_ITSELF)
    waiting = unread(at, shelf, settings.topics.prefix)
    if waiting > MOST_WAITING:
        yield Obstacle("topics", f"{waiting} records wait, more than a batch may hold", BY_ITSELF)


def _options(checkpoint: Path) -> dict[str, str]:
    """Return the options of Spark's that it has frozen."""
    planned = last(checkpoint, OFFSETS)
    return frozen_options(_text(checkpoint / OFFSETS / str(planned)) or "")


def _positions(checkpoint: Path) -> dict[Log, int]:
    """Return from where the next batch that is not done reads on, as far as the files say."""
    done = last(checkpoint, COMMITS)
    if done is not None:
        return positions_in(_text(checkpoint / OFFSETS / str(done)) or "")
    first = sorted((checkpoint / SOURCES).glob("*/0"))
    return {place: at for it in first for place, at in positions_in(_text(it) or "").items()}


def _terms(checkpoint: Path) -> str | None:
    """Return what it was begun with; a start that was killed at that has left it as new."""
    return _text(checkpoint / TERMS) or _text(checkpoint / NEW_TERMS)


def _text(file: Path) -> str | None:
    return file.read_text(errors="replace") if file.exists() else None
