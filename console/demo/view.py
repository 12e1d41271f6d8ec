"""What the screen shows, as plain values. Pure.

Two sources side by side: what the controller says (``board``) and what the members do
(``totals``). Where both have an opinion, the screen shows what is done.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from console.demo.board import Board, told
from console.demo.summary import NANOSECONDS_PER_MS, NANOSECONDS_PER_S
from console.demo.totals import Handover, Totals
from trimtab.protocol import Group

_PACE_WINDOW = 3 * NANOSECONDS_PER_S
"""Rates are over the last three seconds: calm enough to read, quick enough to show a stop."""


APART_NS = 300 * NANOSECONDS_PER_MS
"""Queues that go together follow each other within milliseconds."""


@dataclass(frozen=True, slots=True)
class MemberRow:
    """One member: what it works on, and what it was told."""

    name: str
    pid: int | None
    """None once its process is gone."""
    queues: tuple[int, ...]
    give: int
    inherit: int
    heir_of: int
    """Queues that it would take over at once."""
    epoch: int
    rate: float
    """Messages a second."""


@dataclass(frozen=True, slots=True)
class ControllerRow:
    """The controller's process: `starting`, `ready` or `killed`."""

    pid: int | None
    state: str


@dataclass(frozen=True, slots=True)
class HandoverRow:
    """Queues that went from one member to another by the same decision."""

    queues: tuple[int, ...]
    giver: str
    heir: str
    epoch: int
    since: int
    """When the first of them was taken over."""
    at: int
    """When the last of them was."""
    rest_ms: float
    """The longest time that one of them had no worker."""
    cause: str | None
    """None until it has been read."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What became of the messages so far."""

    produced: int
    processed: int
    rate: float
    outstanding: int
    repeats: int


@dataclass(frozen=True, slots=True)
class View:
    """Everything on the screen."""

    headline: str
    shows: str
    """What the step is to show."""
    group: Group | None
    controller: ControllerRow
    members: tuple[MemberRow, ...]
    handovers: tuple[HandoverRow, ...]
    """Newest first."""
    flow: Flow


@dataclass(slots=True)
class Pace:
    """Messages a second, by member."""

    _samples: deque[tuple[int, Counter[str]]] = field(default_factory=deque)

    def sample(self, at: int, processed: Counter[str]) -> None:
        """Take note of the counts at a time."""
        self._samples.append((at, Counter(processed)))
        while self._samples[-1][0] - self._samples[0][0] > _PACE_WINDOW:
            self._samples.popleft()

    def rates(self) -> Mapping[str, float]:
        """The rates over the window."""
        if len(self._samples) < 2:  # noqa: PLR2004 - two points make a line
            return {}
        (begin, before), (end, after) = self._samples[0], self._samples[-1]
        seconds = (end - begin) / NANOSECONDS_PER_S
        return {name: (count - before[name]) / seconds for name, count in after.items()}


def member_rows(
    pids: Mapping[str, int | None], totals: Totals, board: Board, rates: Mapping[str, float]
) -> tuple[MemberRow, ...]:
    """A row for each member that was ever started, in the order of their starts."""
    working: defaultdict[str, list[int]] = defaultdict(list)
    for queue, owners in totals.owners().items():
        for owner in owners:
            working[owner].append(queue)
    return tuple(
        _member_row(name, pid, working[name], board, rates.get(name, 0.0))
        for name, pid in pids.items()
    )


def _member_row(
    name: str, pid: int | None, queues: Iterable[int], board: Board, rate: float
) -> MemberRow:
    record, person = board.assignments.get(name), board.person(name)
    return MemberRow(
        name=name,
        pid=pid,
        queues=tuple(sorted(queues)),
        give=0 if record is None else len(record.give),
        inherit=0 if person is None else person.inherit,
        heir_of=0 if person is None else person.heir_of or 0,
        epoch=0 if record is None else record.epoch,
        rate=rate,
    )


def handover_rows(handovers: Iterable[Handover], board: Board) -> tuple[HandoverRow, ...]:
    """The hand-overs, those of one decision between the same two in one row; newest first."""
    together: defaultdict[tuple[str, str, int], list[list[Handover]]] = defaultdict(list)
    for one in sorted(handovers, key=lambda it: it.at):
        groups = together[one.giver, one.heir, one.epoch]
        if not groups or one.at - groups[-1][-1].at > APART_NS:
            groups.append([])  # named together, and let go for different reasons
        groups[-1].append(one)
    rows = [_handover_row(group, board) for groups in together.values() for group in groups]
    return tuple(sorted(rows, key=lambda row: row.at, reverse=True))


def _handover_row(group: list[Handover], board: Board) -> HandoverRow:
    last = group[-1]
    cause = board.causes.get((last.queue, last.epoch))
    return HandoverRow(
        queues=tuple(sorted(one.queue for one in group)),
        giver=last.giver,
        heir=last.heir,
        epoch=last.epoch,
        since=group[0].at,
        at=last.at,
        rest_ms=max(one.rest for one in group) / NANOSECONDS_PER_MS,
        cause=None if cause is None else told(cause),
    )


def ranges(queues: Iterable[int]) -> str:
    """Queue numbers for people: 0-3 7 9-11."""
    runs: list[list[int]] = []
    for queue in sorted(queues):
        if runs and queue == runs[-1][1] + 1:
            runs[-1][1] = queue
        else:
            runs.append([queue, queue])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
