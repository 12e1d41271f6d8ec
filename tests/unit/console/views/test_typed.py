"""What people are told to type can be typed, whatever their groups are called."""

import re
import shlex
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from console.lags import Lag
from console.main import app
from console.operator_commands import Address, signed, unanswered
from console.output import line
from console.views import backlogs, coverage, findings, incidents, members
from console.views.queues import rows
from console.views.typed import typed
from tests.builders.checkout import files, text
from tests.unit.console.views.published_records import assignment, group, hold, joined
from tests.unit.console.views.test_findings import NOW_MS, WRONG
from trimtab.protocol import TopicSummary

TOPICS = {"orders": TopicSummary(version=1, queues=2, awaited=False)}
OF_TWO = group("-w", topics=TOPICS, group="-x")
ROWS = rows(OF_TWO, [assignment("-w", hold=(hold(0, 2),))])
QUEUES = [("orders", 0), ("orders", 1)]


def remedies() -> Iterator[str]:
    """Return what is said to do about a group that is called -x."""
    before, now = dict.fromkeys(QUEUES, Lag(10, 200)), dict.fromkeys(QUEUES, Lag(10, 210))
    came = [joined("-w").model_copy(update={"group": "-x"})] * incidents.RETURNS
    found = [
        *(
            it
            for summary, _ in WRONG.values()
            for it in findings.of_group(summary.model_copy(update={"group": "-x"}), NOW_MS)
        ),
        *findings.of_movers("-x", ["old"]),
        *coverage.gaps(OF_TWO, [assignment("-w")]),
        *backlogs.orphans("-x", ROWS, now),
        *backlogs.late("-x", ROWS, before, now, backlogs.LOOK_S),
        *incidents.of_history(came),
    ]
    yield from (it.remedy for it in found)
    yield from members.cuts([OF_TWO.model_copy(update={"members": 2_000})])
    pause = signed(Address("GROUP", "-x"), "why", "pause")
    yield unanswered("-x", pause, 30)


COMMANDS = [it for text in remedies() for it in re.findall(r"`(trimtab [^`]*-x[^`]*)`", text)]


@pytest.mark.parametrize("line", sorted({*COMMANDS}))
def test_a_name_that_begins_with_a_dash_is_typed_as_a_name(line: str) -> None:
    """The command line itself reads the line, as it would be pasted."""
    _, noun, verb, *words = shlex.split(line)
    commands: Any = typer.main.get_command(app)
    read = commands.commands[noun].commands[verb].make_context(verb, words).params

    assert "-x" in read.values()


def test_every_kind_of_command_is_seen() -> None:
    """Or the test before would pass for nothing."""
    nouns = {" ".join(it.split()[1:3]) for it in COMMANDS}

    assert {"groups history", "groups move", "groups rebalance", "members list"} <= nouns


def test_names_stand_before_options_unless_one_begins_with_a_dash() -> None:
    """As anybody would type it."""
    assert "trimtab doctor 'rack 7'" == typed("doctor", "rack 7")
    assert "trimtab queues list a --lag" == typed("queues list", "a", options="--lag")
    assert "trimtab queues list --lag -- -a" == typed("queues list", "-a", options="--lag")


@pytest.mark.parametrize(
    "name", ["caf\u00e9\u00a0b", "\u6ce8\u6587\u3000b", "it's\u200d\\a", "a\u2028b"]
)
def test_a_name_is_typed_as_it_is_though_a_terminal_would_not_show_it(name: str) -> None:
    """What is printed is read by a shell: it says the name again."""
    shown = line(typed("groups drain", "billing", name))
    told = subprocess.run(
        ["/bin/bash", "-c", shown.replace("trimtab", "printf '%s\\n'")],
        capture_output=True,
        check=True,
    )

    assert ["groups", "drain", "billing", name] == told.stdout.decode().split("\n")[:-1]


def test_every_command_with_a_name_is_written_there() -> None:
    """None of our own modules puts a name behind the words of a command itself.

    Members in Java have no such function: a name stands there in quotes, behind `--`.
    """
    own = re.compile(r"trimtab (?:[a-z][a-z-]* )+(?:\{|\" \+)")
    ours = [it for it in files("*.py") if it.parts[0] == "console"]
    ours += [it for it in files("*.java") if it.parts[0] == "clients"]

    assert [] == [it for it in ours if own.search(text(it))]
