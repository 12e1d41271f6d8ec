"""`trimtab top` on a small screen: what is urgent stays in sight."""

import os
from collections.abc import Callable

import pytest

from console.commands import top
from console.output import Format
from console.published import Published
from console.pulse import Pulse
from console.settings import load
from console.views import groups
from tests.unit.console.views.published_records import LIFE, START_MS, group
from trimtab.protocol import Tick

TICK = Tick(controller="trimtab", number=1, start=LIFE)
Draw = Callable[..., list[str]]


def look(_now_ms: int) -> Pulse:
    """Find a controller that ticks."""
    return Pulse({0: (START_MS, TICK)}, ())


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch) -> Draw:
    """Draw so many groups on a terminal of this size; return its lines."""

    def drawn(
        count: int, columns: int, lines: int, name: str = "g", *, live: bool = True
    ) -> list[str]:
        size = os.terminal_size((columns, lines))
        told = [group("a", group=f"{name}-{it:03d}") for it in range(count - 1)]
        told.append(group("a", group=f"{name}-urgent", state="starved"))
        options = ["kafka.bootstrap_servers=nowhere:1"]
        published = Published(load(key_values=options, environment={}).settings)
        with monkeypatch.context() as here:  # pytest has a terminal, too
            here.setattr("shutil.get_terminal_size", lambda *_, **__: size)
            here.setattr("sys.stdout.isatty", lambda: True)
            here.setenv("NO_COLOR", "1")
            here.setattr(Published, "briefs", lambda _: told)
            drawing = top._screen(published, look, Format.TABLE, live=live)  # noqa: SLF001 - without the loop
        return drawing.table.splitlines()

    return drawn


def taken(lines: list[str], columns: int) -> int:
    """How many lines of a terminal these are."""
    return sum(max(1, -(-len(it) // columns)) for it in lines)


@pytest.mark.parametrize(
    ("columns", "lines", "name"),
    [(200, 24, "g"), (80, 24, "g"), (60, 24, "g"), (40, 30, "g"), (80, 24, "g" * 100)],
    ids=["wide", "usual", "narrow", "too narrow", "a long name"],
)
@pytest.mark.parametrize("count", [1, 3, 200])
def test_what_is_urgent_stays_on_the_screen(
    draw: Draw, columns: int, lines: int, name: str, count: int
) -> None:
    """A block of ten lines for each group would scroll it away; the last line is the prompt's."""
    drawn = draw(count, columns, lines, name)

    assert taken(drawn, columns) < lines
    assert any("urgent" in it for it in drawn)
    shown = sum(f"{name}-" in it for it in drawn)
    assert (f"and {count - shown} more" == drawn[-1]) == (shown < count)


def test_what_says_least_of_trouble_goes_first(draw: Draw) -> None:
    """State, members and queues are what one looks for; a wide terminal has everything."""

    def heading(columns: int) -> list[str]:
        return next(it for it in draw(3, columns, 24) if it.startswith("GROUP")).split()

    whole = [it.upper() for it in groups.NARROW]
    assert whole == heading(120)
    assert [it for it in whole if it != "SINCE"] == heading(80)
    assert [it for it in whole if it not in {"SINCE", "EPOCH", "CAUSE"}] == heading(60)


def test_shown_once_it_is_whole(draw: Draw) -> None:
    """Whoever asks for that pipes it, or scrolls back."""
    assert 200 == sum("g-" in it for it in draw(200, 120, 24, live=False))
