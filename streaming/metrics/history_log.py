"""The log of what was decided: one line for each rebalance, command, expiry, refusal and verdict.

The lines say what the entries of the history say, for whoever has only the log. In a storm they are
limited, because thousands of lines say less than their number; once a minute it is said how many
were left out, and how many dead letters of which kind there were. The history is always whole.

Called by ``query_listener``. What is left out is counted.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from structlog.typing import FilteringBoundLogger

from streaming.metrics.ejections import Ejections
from streaming.metrics.tally import Entry, Tally

BURST: Final = 50
"""Lines at once: all of what happens to a few groups."""
A_SECOND: Final = 5
"""Lines that may follow in the long run: what a person may read, and 40 MB a day at the worst."""


class Line(NamedTuple):
    """A line of the log."""

    event: str
    fields: Mapping[str, object]
    warns: bool = False


class HistoryLog:
    """Writes the lines.

    Args:
        log: Where to.
        clock: Of the process, in seconds; it never goes back.
    """

    def __init__(self, log: FilteringBoundLogger, clock: Callable[[], float]) -> None:
        self._log, self._clock = log, clock
        self._room, self._since = float(BURST), clock()
        self._left_out = 0
        self._letters = Counter[str]()
        self._ejections = Ejections()

    def tell(self, tallies: Iterable[Tally]) -> None:
        """Tell of a batch, as far as there is room."""
        for tally in tallies:
            self._left_out += tally.untold
            for topic, reason, number, _ in tally.letters:
                self._letters[f"{topic}: {reason}"] += number
            for entry in tally.told:
                self._tell(entry)

    def sum_up(self) -> None:
        """Say what was not said; called once a minute."""
        if self._letters:
            self._log.warning("dead letters", count=self._letters.total(), of=dict(self._letters))
        if self._left_out:
            self._log.warning("some log lines were skipped: see the history", count=self._left_out)
        self._letters.clear()
        self._left_out = 0

    def _tell(self, entry: Entry) -> None:
        line = line_of(entry, is_known=self._is_known(entry))
        now = self._clock()
        self._room = min(float(BURST), self._room + (now - self._since) * A_SECOND)
        self._since = now
        if self._room < 1:
            self._left_out += 1
            return
        self._room -= 1
        say = self._log.warning if line.warns else self._log.info
        say(line.event, **line.fields)

    def _is_known(self, entry: Entry) -> bool:
        """Tell a verdict that says an ejection again: a panic has begun or ended meanwhile."""
        if entry["kind"] != "verdict":
            return False
        place = entry["cluster"], entry["broker"]
        if entry["available"]:
            self._ejections.forget(*place)
            return False
        return not self._ejections.is_new(*place, entry["since_ms"])


def line_of(entry: Entry, *, is_known: bool = False) -> Line:
    """Put an entry of the history, or a dead letter, into words."""
    event, *names = _WORDS[entry["kind"]]
    warns = entry["kind"] in _WARNS
    if entry["kind"] == "ailment" and not entry.get("reason"):
        event, warns = "decisions work again", False
    elif entry["kind"] == "verdict" and entry["available"]:
        event, warns = "broker is fit", False
    elif is_known:
        event, warns = "broker is still out of use", False
    return Line(event.format_map(entry), _of(entry, *names), warns)


_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "rebalance": ("rebalanced", "group", "moves", "members", "queues", "epoch_after"),
    "member": ("member {event}", "group", "member"),
    "command": ("command {outcome}", "group", "command", "id", "principal", "reason", "detail"),
    "pause_ended": ("the pause is over", "group"),
    "claim": ("claim refused", "group", "member", "queues"),
    "conflict": ("two lives of one name", "group", "older", "newer", "rule"),
    "hold": ("evictions are held", "group", "silent"),
    "ailment": ("a decision failed", "subject", "reason"),
    "verdict": ("broker is out of use", "cluster", "broker", "detector", "reason", "panic"),
    "deadletter": ("record refused", "topic", "partition", "offset", "detail"),
}
"""What a line says, and the fields that it shows."""
_WARNS: Final = {"claim", "hold", "ailment", "verdict", "deadletter"}


def _of(entry: Entry, *names: str) -> dict[str, object]:
    """Take fields, and the cause."""
    said = {name: entry[name] for name in names if entry.get(name) is not None}
    cause = entry.get("cause") or {}
    told = " ".join(str(cause[it]) for it in ("kind", "subject", "detail") if cause.get(it))
    return {**said, **({"cause": told} if told else {})}
