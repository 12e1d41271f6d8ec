"""The readiness file: it says that the controller works.

It is there while a controller runs that has committed a batch, and names its process, so that
scripts, tests and health checks need not read logs. It is as old as the last batch, and missing
while Kafka is away. A controller that was killed leaves its file behind, so a reader checks that
the process still lives.

Written, renewed and removed with the query. Its one rule: complete or absent, never half written.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Readiness:
    """What is known of a controller at work."""

    pid: int
    query: str
    """The query's id, which stays the same for the life of the checkpoint."""
    batch: int
    """The batch that it was ready after."""
    ui: str | None
    """Where Spark's UI is."""


def file_of(home: Path) -> Path:
    """Return where the readiness file of a home is."""
    return home / "controller.json"


def write(home: Path, readiness: Readiness) -> None:
    """Write the file as a whole; a controller that works is no standby any more."""
    fresh = file_of(home).with_suffix(".tmp")
    fresh.write_text(json.dumps(asdict(readiness)))
    fresh.replace(file_of(home))
    _standby_file(home).unlink(missing_ok=True)


def renew(home: Path) -> None:
    """Show that another batch has been committed; a file that was removed stays removed."""
    with suppress(FileNotFoundError):
        os.utime(file_of(home))


def age_s(home: Path) -> float | None:
    """Return how long ago the last batch was committed; None if there is no file."""
    return _age_s(file_of(home))


def read(home: Path) -> Readiness | None:
    """Read the file; None if no controller of this home, and of this release, is at work."""
    told = _told(home)
    if lives(home) is not True or not {it.name for it in fields(Readiness)} <= told.keys():
        return None
    return Readiness(**{it.name: told[it.name] for it in fields(Readiness)})


def lives(home: Path) -> bool | None:
    """Tell whether the process that the file names is there: a killed one leaves its file.

    None: it names none that this release understands.
    """
    pid = _told(home).get("pid")
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return None
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # it belongs to another user
    return True


def stand_by(home: Path) -> None:
    """Show that a standby is here, and ready."""
    _standby_file(home).touch()


def standby_age_s(home: Path) -> float | None:
    """Return how long ago a standby was ready last; None: there is none."""
    return _age_s(_standby_file(home))


def _age_s(path: Path) -> float | None:
    """Return how old a file is. After a clock was set back, one of the future is as old as that."""
    try:
        return abs(time.time() - path.stat().st_mtime)
    except FileNotFoundError:
        return None


def _standby_file(home: Path) -> Path:
    return home / "standby"


def _told(home: Path) -> Mapping[str, Any]:
    """Return what the file says, as far as this release understands it."""
    try:
        told = json.loads(file_of(home).read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


@contextmanager
def removed(home: Path) -> Iterator[None]:
    """Remove the files, before (of a controller that was killed) and after."""
    for each in (file_of(home), _standby_file(home)):
        each.unlink(missing_ok=True)
    try:
        yield
    finally:
        for each in (file_of(home), _standby_file(home)):
            each.unlink(missing_ok=True)
