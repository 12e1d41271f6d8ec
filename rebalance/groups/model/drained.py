"""Who is drained: the lives that operators have commanded to drain, found by their process.

A command is meant for a process, so that its later lives drain as well (``dismissals``). A life is
listed until its process leaves for good, or until it is commanded to drain no more. Those of
processes that died stay, so the list is bounded: by as many lives as the group may have members.

A part of ``rules``. Its one rule: no life of another process answers for one.
"""

from rebalance.ids import Life, MemberId, start_of

_Process = tuple[MemberId, str]


def _process(life: Life) -> _Process:
    """Return what all lives of a process have in common, as they are named."""
    shared = life.shared_name
    return shared, "" if shared == life.member else start_of(life.incarnation)


class Drained:
    """Of each process the life that was commanded last; looked through once a step, if at all."""

    __slots__ = ("_known", "_lives")

    def __init__(self, lives: tuple[Life, ...]) -> None:
        """Take them as they are stored, in the order of their commands."""
        self._lives: tuple[Life, ...] | None = lives
        self._known: dict[_Process, Life] | None = None

    @property
    def lives(self) -> tuple[Life, ...]:
        """All of them, in that order."""
        if self._lives is None:
            self._lives = tuple(self._by_process.values())
            names = {it.member for it in self._lives}
            assert len(names) == len(self._lives), "of each name the last life was commanded"
        return self._lives

    @property
    def _by_process(self) -> dict[_Process, Life]:
        if self._known is None:
            self._known = {_process(it): it for it in self._lives or ()}
        return self._known

    def like(self, life: Life) -> list[Life]:
        """Return those that call themselves as a life does, and may be of its process."""
        if not self._lives and not self._known:  # as nearly always
            return []
        shared = life.shared_name
        processes = (shared, ""), (shared, start_of(life.incarnation))
        return [it for it in map(self._by_process.get, processes) if it is not None]

    def add(self, life: Life, most: int) -> None:
        """A life is commanded to drain; of more than ``most`` the first ones are forgotten."""
        self.drop(life)
        self._by_process[_process(life)] = life
        while len(self._by_process) > most:
            del self._by_process[next(iter(self._by_process))]

    def drop(self, life: Life) -> None:
        """Its process may have queues again."""
        self._by_process.pop(_process(life), None)
        self._lives = None

    def end(self, life: Life) -> None:
        """Its process is over."""
        for it in self.like(life):
            if start_of(it.incarnation) == start_of(life.incarnation):
                self.drop(it)
