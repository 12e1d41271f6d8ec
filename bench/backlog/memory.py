"""The memory that a controller takes: its own, its JVM's and its Python workers', summed up.

Pages that several of them share are counted for each, so the sum errs upwards.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Final

from bench.processor import family

_PAGE_BYTES: Final = 4096
_PAUSE_S: Final = 0.2


@contextmanager
def watched(pid: int) -> Iterator[list[int]]:
    """Note the most memory that a process and its family take meanwhile."""
    most, over = [0], Event()

    def watch() -> None:
        while not over.wait(_PAUSE_S):
            most[0] = max(most[0], holder(pid))

    watcher = Thread(target=watch)
    watcher.start()
    try:
        yield most
    finally:
        over.set()
        watcher.join()


def holder(pid: int) -> int:
    """Return the memory of a process and of all below it, in bytes."""
    pages = 0
    for one in family(pid):
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended meanwhile
    return pages * _PAGE_BYTES
