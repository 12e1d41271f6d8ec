"""A small line chart as SVG, drawn without a library: a few lines, a legend, two axes.

Called by `trimtab simulate --plot`.
"""

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, MARGIN, LEGEND = 760, 400, 56, 150
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
"""Okabe and Ito's palette: told apart by colour-blind readers too."""


def line_chart(title: str, across: str, up: str, lines: Mapping[str, Sequence[int]]) -> str:
    """Draw one line for each name, each value one step further to the right."""
    steps = max((len(values) for values in lines.values()), default=1)
    top = max((value for values in lines.values() for value in values), default=0) or 1
    parts = [_frame(title, across, up, steps, top)]
    for place, (name, values) in enumerate(lines.items()):
        colour = COLOURS[place % len(COLOURS)]
        points = " ".join(
            f"{_x(step, steps):.1f},{_y(value, top):.1f}" for step, value in enumerate(values)
        )
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        parts.append(_label(WIDTH - LEGEND + 8, MARGIN + 20 * place, name, f'fill="{colour}"'))
    return "\n".join([*parts, "</svg>\n"])


def _frame(title: str, across: str, up: str, steps: int, top: int) -> str:
    left, bottom, right = MARGIN, HEIGHT - MARGIN, WIDTH - LEGEND
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">',
            "<style>text {font: 13px sans-serif} polyline {fill: none; stroke-width: 2}</style>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<path d="M{left},{MARGIN} V{bottom} H{right}" stroke="#444" fill="none"/>',
            _label(left, MARGIN - 28, title, 'fill="#111" font-weight="bold"'),
            _label(left, MARGIN - 8, up, 'fill="#444"'),
            _label(right, bottom + 36, across, 'fill="#444" text-anchor="end"'),
            _label(left, bottom + 18, "1", 'fill="#444"'),
            _label(right, bottom + 18, str(steps), 'fill="#444" text-anchor="end"'),
            _label(left - 6, bottom, "0", 'fill="#444" text-anchor="end"'),
            _label(left - 6, MARGIN + 4, str(top), 'fill="#444" text-anchor="end"'),
        ]
    )


def _label(x: int, y: int, text: str, style: str) -> str:
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'


def _x(step: int, steps: int) -> float:
    return MARGIN + step * (WIDTH - LEGEND - MARGIN) / max(steps - 1, 1)


def _y(value: int, top: int) -> float:
    return HEIGHT - MARGIN - value * (HEIGHT - 2 * MARGIN) / top
