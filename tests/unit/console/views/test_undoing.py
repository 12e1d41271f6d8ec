"""What takes a command back."""

import shlex
from typing import Any

import pytest
import typer

from console.main import app
from console.views import undoing
from tests.unit.console.views.published_records import START_MS, group, verdict
from trimtab.protocol import Group, MemberSummary, Overrides, TopicSummary, Verdict

DRAINED = group(
    people=(MemberSummary(member="rack 7", hold=0, give=0, inherit=0, draining=True),), members=1
)
BOUND = group("a", paused=True, paused_until_ms=START_MS)
OWN = group("a", own_strategy="AVG")
NOON = "--until 2026-01-01T00:00:00.000Z"
PLAIN, PAUSED = group("a"), group("a", paused=True)
RULED = group("a", overrides=Overrides(blast_percent=80, session_timeout_ms_min=30_000))

POPPED = group(
    "a", topics={"orders": TopicSummary(version=1, queues=1, awaited=False, popped=True)}
)


@pytest.mark.parametrize(
    ("verb", "before", "undo"),
    [
        ("pause", PLAIN, "resume billing"),
        ("pause", PAUSED, None),
        ("pause", BOUND, f"pause billing {NOON}"),
        ("resume", PAUSED, "pause billing"),
        ("resume", PLAIN, None),
        ("drain", PLAIN, "undrain billing 'rack 7'"),
        ("drain", group("rack 7"), "undrain billing 'rack 7'"),
        ("drain", DRAINED, None),
        ("undrain", DRAINED, "drain billing 'rack 7'"),
        ("undrain", group("rack 7"), None),
        ("resume", BOUND, f"pause billing {NOON}"),
        ("strategy", PLAIN, "strategy billing"),
        ("strategy", OWN, "strategy billing AVG"),
        ("policy", PLAIN, "policy billing"),
        ("policy", RULED, "policy billing session_timeout_min=30000ms blast_percent=80"),
        ("mode", PLAIN, "mode billing orders pull"),
        ("mode", POPPED, None),
        ("evict", PLAIN, None),
        ("forget", PLAIN, None),
    ],
)
def test_a_command_is_taken_back_as_it_would_be_typed(
    verb: str, before: Group, undo: str | None
) -> None:
    """From how the group was; nothing is said where nothing takes it back."""
    named = {"member": "rack 7", "topic": "orders", "mode": "pop"}
    told = undoing.of_group(verb, before, named)

    assert told == (None if undo is None else f'trimtab groups {undo} --reason "as before"')


@pytest.mark.parametrize(
    ("before", "until_ms", "undo"),
    [
        (PLAIN, START_MS, "resume billing"),
        (PAUSED, START_MS, "pause billing"),
        (BOUND, START_MS + 1, f"pause billing {NOON}"),
        (BOUND, START_MS, None),
    ],
)
def test_a_pause_that_took_the_place_of_another_is_taken_back(
    before: Group, until_ms: int, undo: str | None
) -> None:
    """By that one: to shorten a pause may end it before what it is for."""
    told = undoing.of_group("pause", before, {"until_ms": until_ms})

    assert told == (None if undo is None else f'trimtab groups {undo} --reason "as before"')


OUT = verdict(available=False, detector="operator")
OUT_FOR_NOW = verdict(available=False, detector="operator", until_ms=START_MS)
IN_FOR_NOW = verdict(detector="operator", until_ms=START_MS)
SPARED = verdict(detector="operator")
JUDGED = verdict(available=False, detector="errors")


@pytest.mark.parametrize(
    ("verb", "before", "undo"),
    [
        ("eject", None, "restore a --cluster east"),
        ("eject", JUDGED, "restore a --cluster east"),
        ("eject", OUT_FOR_NOW, f"eject a --cluster east {NOON}"),
        ("restore", OUT, "eject a --cluster east"),
        ("restore", OUT_FOR_NOW, f"eject a --cluster east {NOON}"),
        ("eject", IN_FOR_NOW, f"restore a --cluster east {NOON}"),
        ("restore", IN_FOR_NOW, f"restore a --cluster east {NOON}"),
        ("eject", SPARED, "restore a --cluster east"),
        ("restore", SPARED, None),
        ("restore", JUDGED, None),
        ("restore", verdict(), None),
        ("forget", OUT, None),
    ],
)
def test_a_command_about_a_broker_is_taken_back(
    verb: str, before: Verdict | None, undo: str | None
) -> None:
    """To what an operator had commanded; nothing brings back what its detectors held against it."""
    told = undoing.of_broker(verb, "east", "a", before, START_MS - 1, lasts=verb == "eject")

    assert told == (None if undo is None else f'trimtab brokers {undo} --reason "as before"')


def test_a_restore_with_an_end_is_taken_back() -> None:
    """It keeps the detectors from ejecting the broker; one without an end gives it back to them."""
    told = undoing.of_broker("restore", "east", "a", verdict(), START_MS, lasts=True)

    assert 'trimtab brokers restore a --cluster east --reason "as before"' == told


def test_what_has_lapsed_is_not_brought_back() -> None:
    """An operator's command whose time is over keeps no broker out, and none in use."""
    assert undoing.of_broker("restore", "east", "a", OUT_FOR_NOW, START_MS, lasts=False) is None
    assert undoing.of_broker("restore", "east", "a", IN_FOR_NOW, START_MS, lasts=False) is None
    undo = undoing.of_broker("eject", "east", "a", IN_FOR_NOW, START_MS, lasts=True)
    assert undo == 'trimtab brokers restore a --cluster east --reason "as before"'


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        (undoing.of_group("pause", group("a", group="-x"), {}), {"name": "-x"}),
        (
            undoing.of_group("drain", group("-w"), {"member": "-w"}),
            {"name": "billing", "member": "-w"},
        ),
        (
            undoing.of_broker("eject", "-east", "-a", OUT_FOR_NOW, START_MS - 1, lasts=True),
            {"broker": "-a", "cluster": "-east"},
        ),
    ],
    ids=["a group", "a member", "a broker"],
)
def test_a_name_that_begins_with_a_dash_is_no_option(
    line: str | None, arguments: dict[str, str]
) -> None:
    """The command line itself reads the line, as it would be pasted."""
    assert line is not None
    _, noun, verb, *words = shlex.split(line)
    commands: Any = typer.main.get_command(app)
    read = commands.commands[noun].commands[verb].make_context(verb, words).params

    assert arguments.items() <= read.items()
    assert "as before" == read["reason"]
