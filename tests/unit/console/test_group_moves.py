"""`trimtab groups move`: what it refuses, what it chooses, and what it waits for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from console import group_moves, receiving, staying
from console.errors import ExitCode
from console.subscribers import Described
from tests.builders.command_line import Run
from trimtab.moving.company import client_id
from trimtab.moving.sides import Side, given_to

WHY = ("--reason", "a test")
HOST = "/10.0.0.7"
PLACES = frozenset({("orders", 0), ("orders", 1)})
NOBODY = Described(is_steady=False, members=[], assigned=frozenset())
OLD, NEW = ("old", HOST), (client_id("a"), HOST)


def group(*members: tuple[str, str], on: dict[int, Side] | None = None) -> Described:
    """A group that rests; these of its queues were committed for a side last."""
    commits = tuple(("orders", it, 7, given_to(side, 3)) for it, side in (on or {}).items())
    return Described(bool(members), list(members), PLACES if members else frozenset(), commits)


class Kafka:
    """What a command finds: how the group is, one after the other, and which side is wanted."""

    def __init__(self) -> None:
        self.groups = [NOBODY]
        self.wanted: Side | None = None
        self.chosen: list[tuple[Side, str]] = []

    @contextmanager
    def asking(self, _: object) -> Iterator["Kafka"]:
        """Ask how the group is."""
        yield self

    def committed(self, _: str) -> Described:
        """Say so; the last of them is for good."""
        return self.groups.pop(0) if len(self.groups) > 1 else self.groups[0]

    def side(self, *_: object) -> "Kafka":
        """Ask for the wanted side."""
        return self

    def read(self) -> Side | None:
        """Say which it is."""
        return self.wanted

    def choose(self, side: Side, said: str) -> None:
        """Choose it."""
        self.wanted = side
        self.chosen.append((side, said))

    def close(self) -> None:
        """Ask no more."""


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Kafka:
    """One whose other half, trimtab's, lets everything move."""
    kafka = Kafka()
    monkeypatch.setenv("TRIMTAB_KAFKA__BOOTSTRAP_SERVERS", "nowhere:1")
    monkeypatch.setattr(group_moves, "asking", kafka.asking)
    monkeypatch.setattr(group_moves, "WantedSide", kafka.side)
    monkeypatch.setattr(group_moves, "_LOOK_S", 0.001)
    nothing: Callable[..., None] = lambda *_: None  # noqa: E731 - two stand-ins of one kind
    monkeypatch.setattr(receiving, "look", nothing)
    monkeypatch.setattr(staying, "look", nothing)
    return kafka


@pytest.mark.parametrize("side", ["kafka", "trimtab"])
def test_a_group_that_is_not_there_does_not_move(run: Run, kafka: Kafka, side: str) -> None:
    """It is mistyped, in a hurry; nothing is left behind under that name."""
    code, out, error = run("groups", "move", "biling", side, *WHY)

    assert (ExitCode.NOT_FOUND, "", []) == (code, out, kafka.chosen)
    assert "biling has no members in Kafka" in error


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (group(OLD, on={0: "kafka", 1: "trimtab"}), "2 queues are on the side of kafka"),
        (group(on={0: "trimtab"}), "the side of kafka is wanted; nobody is in its group in Kafka"),
        (group(OLD), "2 queues are on the side of kafka"),
    ],
)
def test_an_old_choice_is_taken_back_whoever_is_there(
    run: Run, kafka: Kafka, there: Described, said: str
) -> None:
    """Before members come that can move: an idle queue is the only one that says trimtab still."""
    kafka.groups, kafka.wanted = [there], "trimtab"
    code, out, error = run("groups", "move", "billing", "kafka", *WHY)

    assert (ExitCode.OK, f"billing: {said}") == (code, out.splitlines()[0]), error
    assert [("kafka", "a test")] == kafka.chosen


def test_kafkas_side_is_waited_for_where_somebody_can_move(run: Run, kafka: Kafka) -> None:
    """Its owner on trimtab's side commits each queue."""
    before, after = group(NEW, on={0: "trimtab", 1: "kafka"}), group(NEW, on={0: "kafka"})
    kafka.groups = [before, before, before, after]
    code, out, _ = run("groups", "move", "billing", "kafka", *WHY)

    assert (ExitCode.OK, [after]) == (code, kafka.groups)
    assert "billing: 2 queues are on the side of kafka" == out.splitlines()[0]
