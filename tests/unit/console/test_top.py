"""`trimtab top` on a small screen: what is urgent stays in sight."""

import os
from collections.abc import Callable
from contextlib import suppress

import pytest

from console import watching
from console.commands import top
from console.errors import Away
from console.output import Format, Remark, Shown
from console.published import Published
from console.pulse import Pulse
from console.settings import load
from console.views import groups
from console.watching import watched
from tests.unit.console.views.published_records import LIFE, START_MS, group
from trimtab.protocol import Tick

TICK = Tick(controller="trimtab", number=1, start=LIFE)
GONE = f"no controller is at work here{' or so it seems' * 6}"
Draw = Callable[..., list[str]]


TURNING = "c\u202e"
"""What a terminal takes for a change of direction."""


def look(_now_ms: int) -> Pulse:
    """Find a controller that ticks."""
    return Pulse({0: (START_MS, TICK)}, (), 1)


def look_at_another(_now_ms: int) -> Pulse:
    """Find one with such a name."""
    return Pulse({0: (START_MS, TICK.model_copy(update={"controller": TURNING}))}, (), 1)


class Enough(Exception):  # noqa: N818 - no error: the test has seen enough
    """What ends a view, as Ctrl-C does."""


@pytest.fixture
def draw(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Draw:
    """Draw so many groups on a terminal of this size; return its lines."""

    def drawn(
        count: int,
        size: tuple[int, int],
        *said: str,
        name: str = "g",
        live: bool = True,
        failures: tuple[Exception, ...] = (Enough(),),
    ) -> list[str]:
        told = [group("a", group=f"{name}-{it:03d}") for it in range(count - 1)]
        told.append(group("a", group=f"{name}-urgent", state="starved"))
        options = ["kafka.bootstrap_servers=nowhere:1"]
        published = Published(load(key_values=options, environment={}).settings)
        looks = iter([None, *failures])

        def screen() -> Shown:
            if (failure := next(looks)) is not None:
                raise failure
            return top._screen(published, look, Format.TABLE)  # noqa: SLF001 - without options

        with monkeypatch.context() as here:  # pytest has a terminal, too
            here.setattr("shutil.get_terminal_size", lambda *_, **__: os.terminal_size(size))
            here.setattr("sys.stdout.isatty", lambda: True)
            here.setenv("NO_COLOR", "1")
            here.setattr(Published, "briefs", lambda _: told)
            here.setattr(watching, "_EVERY_S", 0)
            with suppress(Enough):
                watched(
                    screen,
                    Format.TABLE,
                    watch=live,
                    remarks=lambda: [Remark(it, it) for it in said],
                )
        return capsys.readouterr().out.split("\x1b[H\x1b[2J")[-1].splitlines()

    return drawn


def taken(lines: list[str], columns: int) -> int:
    """How many lines of a terminal these are."""
    return sum(max(1, -(-len(it) // columns)) for it in lines)


@pytest.mark.parametrize(
    ("size", "name"),
    [((200, 24), "g"), ((80, 24), "g"), ((60, 24), "g"), ((40, 30), "g"), ((80, 24), "g" * 100)],
    ids=["wide", "usual", "narrow", "too narrow", "a long name"],
)
@pytest.mark.parametrize("count", [1, 3, 200])
@pytest.mark.parametrize("said", [(), (GONE,), (GONE, "what is away is missing here")])
@pytest.mark.parametrize(
    "failures", [(Enough(),), (Away("Kafka is away"), Enough())], ids=["there", "away"]
)
def test_what_is_urgent_stays_on_the_screen(
    draw: Draw,
    size: tuple[int, int],
    name: str,
    count: int,
    said: tuple[str, ...],
    failures: tuple[Exception, ...],
) -> None:
    """A block of ten lines for each group would scroll it away; the last line is the prompt's."""
    drawn = draw(count, size, *said, name=name, failures=failures)

    assert taken(drawn, size[0]) < size[1]
    assert {*said} <= {*drawn}
    assert any("urgent" in it for it in drawn)
    shown = sum(f"{name}-" in it for it in drawn)
    assert (f"and {count - shown} more" == drawn[-1]) == (shown < count)


def test_what_says_least_of_trouble_goes_first(draw: Draw) -> None:
    """State, members and queues are what one looks for; a wide terminal has everything."""

    def heading(columns: int) -> list[str]:
        return next(it for it in draw(3, (columns, 24)) if it.startswith("GROUP")).split()

    whole = [it.upper() for it in groups.NARROW]
    assert whole == heading(120)
    assert [it for it in whole if it != "SINCE"] == heading(80)
    assert [it for it in whole if it not in {"SINCE", "EPOCH", "CAUSE"}] == heading(60)


def test_shown_once_it_is_whole(draw: Draw) -> None:
    """Whoever asks for that pipes it, or scrolls back."""
    assert 200 == sum("g-" in it for it in draw(200, (120, 24), live=False))


def test_a_controllers_name_turns_no_line(monkeypatch: pytest.MonkeyPatch, draw: Draw) -> None:
    """What follows on the line would read backwards."""
    monkeypatch.setattr(f"{__name__}.look", look_at_another)
    first, *_ = draw(3, (200, 24), "Kafka is away")[1:]

    assert first.startswith(r"controller: c\u202e, last tick ")
