"""The drawing: who owned each queue when, and which fault lasted, as an SVG without a library.

A row for each queue, a bar for each tenure in its member's colour; white is a queue without an
owner. Faults are grey bands above, with lines through all rows. Pure; called by the command.
"""

from collections.abc import Iterator
from html import escape
from typing import Final, NamedTuple

from chaos.history import Event, History, S, name_of
from chaos.ownership import Tenure, tenures
from console.plot import COLOURS

_WIDTH: Final = 1400
_LEFT: Final = 60
_ROW: Final = 18
_STYLE: Final = "text {font: 11px sans-serif} .f {fill: #ddd} .l {stroke: #999} .t {opacity: .85}"


class _Paper(NamedTuple):
    """Where things are."""

    begin: int
    scale: float
    top: int
    height: int

    def x(self, at: int) -> float:
        """Where a moment is."""
        return round(_LEFT + (at - self.begin) * self.scale, 1)


def drawing(title: str, history: History) -> str:
    """Draw a history."""
    begin, end = history[0].at, max(history[-1].at, history[0].at + 1)
    spans, those = _faults(history), tenures(history)
    queues = sorted({it.queue for it in those})
    top = 50 + _ROW * (1 + max((lane for _, _, lane in spans), default=0))
    scale = (_WIDTH - _LEFT - 10) / (end - begin)
    paper = _Paper(begin, scale, top, top + _ROW * (len(queues) + 2))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {paper.height}">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{_WIDTH}" height="{paper.height}" fill="white"/>',
        f'<text x="{_LEFT}" y="16" font-weight="bold">{escape(title)}</text>',
        *_legend(history),
        *(line for span in spans for line in _band(paper, *span)),
        *(_bar(paper, it, top + _ROW * queues.index(it.queue)) for it in those),
    ]
    for row, queue in enumerate(queues):
        parts.append(f'<text x="8" y="{top + _ROW * row + 12}">queue {queue}</text>')
    for at in range(0, int((end - begin) / S) + 1, 10):
        left, y = paper.x(begin + at * S), paper.height - _ROW
        parts.append(f'<text x="{left}" y="{y}">{at} s</text>')
    return "\n".join([*parts, "</svg>\n"])


def _band(paper: _Paper, fault: Event, cured: int, lane: int) -> Iterator[str]:
    left, y = paper.x(fault.at), 40 + _ROW * lane
    wide = max(2.0, paper.x(cured) - left)
    yield f'<rect class="f" x="{left}" y="{y}" width="{wide:.1f}" height="{_ROW - 2}"/>'
    yield f'<path class="l" d="M{left},{y} V{paper.height - 2 * _ROW}"/>'
    yield f'<text x="{left + 2}" y="{y + 12}">{escape(fault.said)}</text>'


def _bar(paper: _Paper, it: Tenure, y: int) -> str:
    left = paper.x(it.span.begin)
    wide = max(0.5, paper.x(it.span.end) - left)
    lasts = (it.span.end - it.span.begin) / S
    said = f"queue {it.queue}: {it.who} under {it.token} for {lasts:.3f} s, {it.how}"
    return (
        f'<rect class="t" x="{left}" y="{y}" width="{wide:.1f}" height="{_ROW - 3}"'
        f' fill="{_colour(it.who)}"><title>{escape(said)}</title></rect>'
    )


def _faults(history: History) -> list[tuple[Event, int, int]]:
    """Each fault, when it was over, and in which lane there is room for it."""
    open_: list[Event] = []
    found: list[tuple[Event, int]] = []
    for event in history:
        if event.kind == "fault":
            open_.append(event)
        elif event.kind == "cured":
            begun = next(it for it in open_ if it.said == event.said)
            open_.remove(begun)
            found.append((begun, event.at))
    found += [(it, history[-1].at) for it in open_]
    room: list[int] = []
    placed = []
    label = (history[-1].at - history[0].at) // 8  # what it says takes room, too
    for fault, cured in sorted(found, key=lambda it: it[0].at):
        free = (lane for lane, until in enumerate(room) if until < fault.at)
        lane = next(free, len(room))
        room[lane : lane + 1] = [max(cured, fault.at + label)]
        placed.append((fault, cured, lane))
    return placed


def _legend(history: History) -> Iterator[str]:
    names = sorted({name_of(it.who) for it in tenures(history)})
    for place, name in enumerate(names):
        left = _LEFT + 500 + 60 * place
        yield f'<rect x="{left}" y="6" width="12" height="12" fill="{_colour(name)}"/>'
        yield f'<text x="{left + 16}" y="16">{escape(name)}</text>'


def _colour(who: str) -> str:
    """A member's: its name ends in its number."""
    return COLOURS[int(name_of(who).removeprefix("m")) % len(COLOURS)]
