"""The checkpoint: where Spark keeps the controller's state, seen from outside.

Spark's own files are read and never written: ``offsets`` has a file for each batch that was
planned, ``commits`` one for each that is done, and ``sources`` where the first began. Our file
beside them holds the terms (``terms``). All access goes through Hadoop's file system, because a
checkpoint need not be on this machine. A checkpoint that is replaced is renamed, never deleted.

Used by ``application`` and ``query``. Its one rule: a file is written as a whole, or not at all.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from py4j.java_gateway import JavaObject
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from streaming.startup.losses import Place
from streaming.startup.terms import Terms, read, written

_TERMS: Final = "trimtab.json"
_TRIAL: Final = ".trimtab.trial"
_OFFSETS: Final = "offsets"
_COMMITS: Final = "commits"
_SOURCES: Final = "sources"
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
            return bool(self._numbers(_OFFSETS))

    def try_out(self) -> None:
        """See that it can be written."""
        with self._reached():
            self._write(self._path(_TRIAL), _TRIAL)
            self._files.delete(self._path(_TRIAL))

    def terms(self) -> Terms | None:
        """Return what it was begun with, as far as it says so."""
        with self._reached():
            text = self._text(_TERMS)
        return None if text is None else read(text)

    def begin(self, terms: Terms) -> None:
        """Write down what one is begun, or gone on, with."""
        draft, final = self._path(f".{_TERMS}.new"), self._path(_TERMS)
        with self._reached():
            self._write(draft, written(terms))
            self._files.delete(final)
            if not self._files.rename(draft, final):
                raise OSError(f"{final} could not be written")

    def options(self) -> dict[str, str]:
        """Return the options of Spark that it has frozen."""
        with self._reached():
            last = max(self._numbers(_OFFSETS), default=None)
            text = None if last is None else self._text(f"{_OFFSETS}/{last}")
        return {} if text is None else frozen_options(text)

    def positions(self) -> dict[Place, int]:
        """Return from where the next batch that is not done reads on."""
        found: dict[Place, int] = {}
        with self._reached():
            done = max(self._numbers(_COMMITS), default=None)
            if done is not None:
                return positions_in(self._text(f"{_OFFSETS}/{done}") or "")
            for source in self._numbers(_SOURCES):
                found |= positions_in(self._text(f"{_SOURCES}/{source}/0") or "")
        return found

    def set_aside(self, label: str) -> str:
        """Give this one up for a new one; return where it is kept."""
        kept = f"{self._place.rstrip('/')}.{label}"
        with self._reached():
            if not self._files.rename(self._path(), self._java.org.apache.hadoop.fs.Path(kept)):
                raise OSError(f"it could not be renamed to {kept}")
        return kept

    @contextmanager
    def _reached(self) -> Iterator[None]:
        """Say in one line what the file system refuses, and what to do."""
        try:
            yield
        except (OSError, Py4JJavaError) as error:
            java = getattr(error, "java_exception", None)
            cause = str(error if java is None else java.toString()).split("\n", maxsplit=1)[0]
            raise CheckpointUnusable(
                f"controller.checkpoint is {self._place}, which cannot be used: {cause}; give this "
                "user the right to write there, or make room; or choose another place: no queue "
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


def positions_in(text: str) -> dict[Place, int]:
    """Read the positions in a file of Spark's: a line of JSON for each source of Kafka's."""
    found: dict[Place, int] = {}
    for topics in _objects(text):
        for topic, partitions in topics.items():
            if isinstance(partitions, dict):  # the first line may be of the batch itself
                found |= {(topic, int(it)): at for it, at in partitions.items() if it.isdecimal()}
    return found


def frozen_options(text: str) -> dict[str, str]:
    """Read the options of Spark's that a file of a batch names."""
    return next((dict(it["conf"]) for it in _objects(text) if "conf" in it), {})


def _objects(text: str) -> list[Mapping[str, Any]]:
    lines = [line for line in text.splitlines() if line.startswith("{")]
    return [json.loads(line) for line in lines]
