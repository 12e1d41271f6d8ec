"""The checkpoint: where Spark keeps the controller's state, seen from outside.

Spark's own files are read and never written (``batch_logs``). Our file beside them holds the terms
(``terms``). All access goes through Hadoop's file system, because a checkpoint need not be on this
machine. A checkpoint that is replaced is renamed, and the last few of those are kept. One that a
standby takes over gets another name as well: its former owner may be frozen, and not dead.

Used by ``start`` and ``standing_by``. Its one rule: a file is written as a whole, or not at all.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from rebalance.clock import Log
from streaming.startup.batch_logs import (
    COMMITS,
    MOVED,
    NEW_TERMS,
    OFFSETS,
    SOURCES,
    TERMS,
    frozen_options,
    positions_in,
    superfluous,
)
from streaming.startup.damage import damaged_terms, damages, local
from streaming.startup.terms import Terms, read, written

_TAIL: Final = -len(".at-1767312000000-0b5e55ed")
_TRIAL: Final = ".trimtab.trial"
_CHARSET: Final = "UTF-8"


class CheckpointUnusable(Exception):  # noqa: N818 - it names what is at hand
    """The place of the checkpoint cannot be read or written."""


class Checkpoint:
    """One place for checkpoints, and the one that is there now.

    Raises:
        CheckpointUnusable: So does every method.
    """

    def __init__(self, spark: SparkSession, place: str) -> None:
        java: Any = spark._jvm  # noqa: SLF001 - there is no other door, and PySpark is pinned
        self._place = place
        self._java = java
        with self._reached():
            settings = spark._jsc.hadoopConfiguration()  # noqa: SLF001 - as above
            self._files = self._path().getFileSystem(settings)

    @property
    def in_use(self) -> bool:
        """Whether a batch was ever planned."""
        with self._reached():
            return bool(self._numbers(OFFSETS))

    @property
    def unfinished(self) -> int | None:
        """The batch that was planned and is not done, if any: what it decided may be published."""
        with self._reached():
            planned, done = (max(self._numbers(it), default=-1) for it in (OFFSETS, COMMITS))
        return planned if planned > done else None

    def try_out(self) -> None:
        """See that it can be written."""
        with self._reached():
            self._write(self._path(_TRIAL), _TRIAL)
            self._files.delete(self._path(_TRIAL))

    def try_to_move(self, start: str) -> None:
        """See that it can be set aside, or taken away: the name is made in the folder above."""
        folder, first = local(self._place), self._first_place()
        if folder is not None and folder.is_mount():
            raise CheckpointUnusable(
                f"controller.checkpoint is {self._place}, where something is mounted, so it "
                "cannot be given another name: choose a folder in it: no queue moves"
            )
        path = self._java.org.apache.hadoop.fs.Path
        trial, moved = (path(f"{first}.{how}-{start}") for how in ("of", "at"))
        with self._reached(self._above()):
            try:
                if not (self._files.mkdirs(trial) and self._files.rename(trial, moved)):
                    raise OSError(f"{moved} could not be made beside it")
            finally:
                self._files.delete(trial)
                self._files.delete(moved)

    def terms(self) -> Terms | None:
        """Return what it was begun with, as far as it says so; None if that is damaged.

        A start that was killed at that may have left the new ones under their first name.
        """
        with self._reached():
            if self.has_damaged_terms():
                return None
            text = self._text(TERMS) or self._text(NEW_TERMS)
        return None if text is None else read(text)

    def has_damaged_terms(self) -> bool:
        """Whether what it was begun with is there, and cannot be read."""
        folder = local(self._place)
        return folder is not None and any(damaged_terms(folder))

    def begin(self, terms: Terms) -> None:
        """Write down what one is begun, or gone on, with."""
        fresh, final = self._path(NEW_TERMS), self._path(TERMS)
        with self._reached():
            self._write(fresh, written(terms))
            self._files.delete(final)
            if not self._files.rename(fresh, final):
                raise OSError(f"{final} could not be written")

    def options(self) -> dict[str, str]:
        """Return the options of Spark that it has frozen."""
        with self._reached():
            last = max(self._numbers(OFFSETS), default=None)
            text = None if last is None else self._text(f"{OFFSETS}/{last}")
        return {} if text is None else frozen_options(text)

    def positions(self) -> dict[Log, int]:
        """Return from where the next batch that is not done reads on."""
        found: dict[Log, int] = {}
        with self._reached():
            done = max(self._numbers(COMMITS), default=None)
            if done is not None:
                return positions_in(self._text(f"{OFFSETS}/{done}") or "")
            for source in self._numbers(SOURCES):
                found |= positions_in(self._text(f"{SOURCES}/{source}/0") or "")
        return found

    def damage(self) -> list[str]:
        """Say what is missing or broken in it; of a place elsewhere nothing is known."""
        folder = local(self._place)
        try:
            return [] if folder is None else list(damages(folder))
        except OSError as error:
            raise CheckpointUnusable(f"controller.checkpoint cannot be read: {error}") from error

    def set_aside(self, label: str) -> str:
        """Give this one up for a new one; return where it is kept."""
        kept = f"{self._place.rstrip('/')}.{label}"
        with self._reached(self._above()):
            if not self._files.rename(self._path(), self._java.org.apache.hadoop.fs.Path(kept)):
                raise OSError(f"it could not be renamed to {kept}")
        return kept

    def delete_old(self, start: str) -> list[str]:
        """Delete what was set aside before the last few; return what that was."""
        with self._reached():
            path = self._java.org.apache.hadoop.fs.Path
            first = self._files.makeQualified(path(self._first_place()))
            parent = first.getParent()
            names = [str(it.getPath().getName()) for it in self._files.listStatus(parent)]
            old = superfluous(names, str(first.getName()), start)
            return [it for it in old if self._files.delete(path(parent, it))]  # and all in it

    def present(self) -> str:
        """Return where it is now: where it was set, or where a standby has put it.

        Others may be there that nobody uses: a controller that was frozen, and not dead, goes on
        writing where it was. Only the one that is used has terms, and the last name counts.
        """
        with self._reached():
            first = self._files.makeQualified(
                self._java.org.apache.hadoop.fs.Path(self._first_place())
            )
            parent = first.getParent()
            there = self._files.listStatus(parent) if self._files.exists(parent) else ()
            used = [
                name
                for name in (str(it.getPath().getName()) for it in there)
                if MOVED.sub("", name) == first.getName() and self._is_used(parent, name)
            ]
        last = max(used, default=first.getName())
        return self._place if last == first.getName() else f"{self._first_place()}{last[_TAIL:]}"

    def moved_to(self) -> str | None:
        """Return where another controller has put it; None: it is here, or nowhere."""
        present = self.present()
        return None if present == self._place else present

    def take_away(self, start: str) -> str:
        """Move it from under whoever may still write to it; return where it is from now on."""
        place = f"{self._first_place()}.at-{start}"
        with self._reached(self._above()):
            target = self._java.org.apache.hadoop.fs.Path(place)
            if self._files.exists(self._path()) and not self._files.rename(self._path(), target):
                raise OSError(f"it could not be renamed to {place}")
        return place

    def _is_used(self, parent: JavaObject, name: str) -> bool:
        path = self._java.org.apache.hadoop.fs.Path
        return any(self._files.exists(path(path(parent, name), it)) for it in (TERMS, NEW_TERMS))

    def _above(self) -> str:
        """Say where it is given another name."""
        parent = self._java.org.apache.hadoop.fs.Path(self._first_place()).getParent()
        return f"in {parent}, where it is given another name"

    def _first_place(self) -> str:
        return MOVED.sub("", self._place.rstrip("/"))

    @contextmanager
    def _reached(self, where: str = "there") -> Iterator[None]:
        """Say in one line what the file system refuses, and what to do."""
        try:
            yield
        except ConnectionError:
            raise  # Spark's JVM is gone: no file system has said anything
        except (OSError, Py4JJavaError) as error:
            java = getattr(error, "java_exception", None)
            cause = str(error if java is None else java.toString()).split("\n", maxsplit=1)[0]
            raise CheckpointUnusable(
                f"controller.checkpoint is {self._place}, which cannot be used: {cause}; give this "
                f"user the right to write {where}, or make room; or choose another place: no queue "
                "moves"
            ) from error

    def _write(self, path: JavaObject, text: str) -> None:
        stream = self._files.create(path)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()

    def _path(self, name: str = "") -> JavaObject:
        path = self._java.org.apache.hadoop.fs.Path
        return path(self._place, name) if name else path(self._place)

    def _numbers(self, folder: str) -> list[int]:
        """Return the files of a folder that are called by a number."""
        path = self._path(folder)
        if not self._files.exists(path):
            return []
        names = [str(it.getPath().getName()) for it in self._files.listStatus(path)]
        return sorted(int(name) for name in names if name.isdecimal())

    def _text(self, name: str) -> str | None:
        path = self._path(name)
        if not self._files.exists(path):
            return None
        stream = self._files.open(path)
        try:
            return str(self._java.org.apache.commons.io.IOUtils.toString(stream, _CHARSET))
        finally:
            stream.close()
