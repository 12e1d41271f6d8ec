"""What several processes of one run use together, as files of one folder tell them.

    use = UsedTogether(folder)
    told = use.begin(find, start)      # of the first one, who has it, and keeps it
    with use.turn(alone=True): ...     # nobody else is in a turn meanwhile
    use.leave(); use.end_if_unused(stop)

All locks are of the kernel: whoever dies lets go of them. Its one rule: it knows nothing of what is
used but the text that describes it.
"""

import fcntl
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

_POLL_S: Final = 0.2


class UsedTogether:
    """The use of one thing.

    Args:
        folder: Where all processes look; it is made.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._description = folder / "description"
        self._changing = folder / "changing"
        self._users = folder / "users"
        self._use: IO[str] | None = None
        self._turns = folder / "turns"
        self._next = folder / "next"
        self._owner = ""
        """The file that is locked by who has started what is used."""
        self._owning: IO[str] | None = None
        """That file, if it is ours."""

    def is_owned(self) -> bool:
        """Whether who started it lives."""
        return self._owning is not None or self._is_held(self._owner)

    def begin(self, find: Callable[[str], bool], start: Callable[[], str]) -> None:
        """Use what is there, if its owner lives and it can be found; start it otherwise."""
        with _locked(self._changing):
            written = self._description.read_text() if self._description.exists() else "\n"
            self._owner, _, told = written.partition("\n")
            if not told or not self._is_held(self._owner) or not find(told):
                told = start()
                self._own()
                self._description.write_text(f"{self._owner}\n{told}")
            self._use = self._users.open("w")
            fcntl.flock(self._use, fcntl.LOCK_SH)

    def _own(self) -> None:
        if self._owning is not None:  # of one that is dead
            self._owning.close()
        self._owner = f"owner-{uuid.uuid4().hex}"
        self._owning = (self._folder / self._owner).open("w")
        fcntl.flock(self._owning, fcntl.LOCK_EX)

    def _is_held(self, owner: str) -> bool:
        with (self._folder / owner).open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def leave(self) -> None:
        """Use it no more."""
        if self._use is not None:
            self._use.close()
            self._use = None

    def end_if_unused(self, stop: Callable[[], None]) -> bool:
        """Whether it is none of ours any more: who started it stops it when nobody uses it."""
        if self._owning is None:
            return True
        with _locked(self._changing), self._users.open("w") as users:
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            if self._description.read_text().startswith(self._owning.name.rpartition("/")[2]):
                self._description.write_text("\n")
            self._owning.close()
            self._owning = None
            stop()
        return True

    def end(self, stop: Callable[[], None]) -> None:
        """The same, once nobody uses it."""
        while not self.end_if_unused(stop):
            time.sleep(_POLL_S)

    @contextmanager
    def turn(self, *, alone: bool) -> Iterator[None]:
        """Wait for a turn, beside others' or alone; who waits to be alone keeps others waiting."""
        with self._next.open("w") as next_one, self._turns.open("w") as turns:
            fcntl.flock(next_one, fcntl.LOCK_EX)
            fcntl.flock(turns, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
            fcntl.flock(next_one, fcntl.LOCK_UN)
            yield


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
