"""`trimtab groups move`: what it refuses, what it chooses, and what it waits for."""

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import KafkaError, KafkaException

from console import group_moves, receiving, staying
from console.errors import ExitCode, Failure
from console.subscribers import Described
from tests.builders.command_line import Run
from tests.builders.played_time import PlayedTime
from trimtab.moving.company import client_id
from trimtab.moving.sides import Side, given_to

WHY = ("--reason", "a test")
HOST = "/10.0.0.7"
PLACES = frozenset({("orders", 0), ("orders", 1)})
NOBODY = Described(is_steady=False, members=[], assigned=frozenset())
OLD, NEW = ("old", HOST), (client_id("a"), HOST)


def kafkas(code: int) -> KafkaException:
    """What librdkafka raises."""
    return KafkaException(KafkaError(code))


def group(
    *members: tuple[str, str], on: dict[int, Side] | None = None, olds: Collection[int] = ()
) -> Described:
    """A group that rests; these of its queues were committed for a side last.

    Those of the old ones cannot move.
    """
    commits = tuple(("orders", it, 7, given_to(side, 3)) for it, side in (on or {}).items())
    places, unmovable = PLACES if members else frozenset(), frozenset(("orders", it) for it in olds)
    return Described(bool(members), list(members), places, commits, unmovable)


class Kafka:
    """What a command finds: how the group is, one after the other, and which side is wanted."""

    def __init__(self) -> None:
        self.groups = [NOBODY]
        self.clock = PlayedTime(time.monotonic())
        self.wanted: Side | None = None
        self.trouble: BaseException | None = None  # what comes of a choice
        self.chosen: list[tuple[Side, str]] = []
        self.unseen: Failure | None = None  # what comes of a look after the choice

    @contextmanager
    def asking(self, _: object) -> Iterator["Kafka"]:
        """Ask how the group is."""
        yield self

    def committed(self, _: str) -> Described:
        """Say so; the last of them is for good."""
        if self.chosen and self.unseen is not None:
            raise self.unseen
        return self.groups.pop(0) if len(self.groups) > 1 else self.groups[0]

    def side(self, *_: object) -> "Kafka":
        """Ask for the wanted side."""
        return self

    def read(self) -> Side | None:
        """Say which it is."""
        return self.wanted

    def choose(self, side: Side, said: str) -> None:
        """Choose it; or be cut off."""
        if self.trouble is not None:
            raise self.trouble
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
    monkeypatch.setattr(group_moves, "time", kafka.clock)
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
        (
            group(NEW, OLD, on={0: "trimtab", 1: "kafka"}, olds=[0]),
            "2 queues are on the side of kafka",
        ),
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
    assert 'undo: trimtab groups move billing trimtab --reason "as before"' == out.splitlines()[1]


def test_kafkas_side_is_waited_for_where_somebody_can_move(run: Run, kafka: Kafka) -> None:
    """Its owner on trimtab's side commits each queue."""
    before, after = group(NEW, on={0: "trimtab", 1: "kafka"}), group(NEW, on={0: "kafka"})
    kafka.groups = [before, before, before, after]
    code, out, _ = run("groups", "move", "billing", "kafka", *WHY)

    assert (ExitCode.OK, [after]) == (code, kafka.groups)
    assert "billing: 2 queues are on the side of kafka" == out.splitlines()[0]


def test_one_that_cannot_move_is_not_alone_before_the_owner_gives_its_queue_back(
    run: Run, kafka: Kafka
) -> None:
    """Both work on it; the owner has to hear of the choice first."""
    before = group(NEW, OLD, on={0: "trimtab", 1: "kafka"}, olds=[0])
    after = group(NEW, OLD, on={0: "kafka", 1: "kafka"}, olds=[0])
    kafka.groups, kafka.wanted = [before, before, before, after], "trimtab"
    code, out, _ = run("groups", "move", "billing", "kafka", *WHY)

    assert (ExitCode.OK, [after]) == (code, kafka.groups)
    assert "billing: 2 queues are on the side of kafka" == out.splitlines()[0]


@pytest.mark.parametrize(
    ("wanted", "side", "undo"),
    [
        (None, "kafka", None),
        (None, "trimtab", "kafka"),
        ("kafka", "trimtab", "kafka"),
        ("trimtab", "trimtab", None),
    ],
)
def test_what_undoes_a_move_is_said(
    run: Run, kafka: Kafka, wanted: Side | None, side: Side, undo: str | None
) -> None:
    """With the same settings, and only if it has changed something."""
    kafka.groups, kafka.wanted = [group(NEW, on={0: side, 1: side})], wanted
    where = ("--set", "kafka.bootstrap_servers=there:1")
    _, out, _ = run("groups", "move", "billing", side, *WHY, *where)

    typed = f'undo: trimtab groups move {" ".join(where)} billing {undo} --reason "as before"'
    assert ([] if undo is None else [typed]) == out.splitlines()[1:]


@pytest.mark.parametrize(
    ("trouble", "code", "begin"),
    [
        (KeyboardInterrupt(), ExitCode.INTERRUPTED, "trimtab: interrupted; what follows may be"),
        (
            kafkas(KafkaError._TIMED_OUT),  # noqa: SLF001 - its public name
            ExitCode.TIMEOUT,
            "trimtab: billing: Kafka does not answer",
        ),
        (
            kafkas(KafkaError.REQUEST_TIMED_OUT),  # by the broker, which may have it
            ExitCode.TIMEOUT,
            "trimtab: billing: Broker: Request timed out. It may be written",
        ),
        (None, ExitCode.TIMEOUT, "trimtab: billing: 1 of 2 queues are there in time"),
    ],
)
def test_what_may_be_obeyed_all_the_same_is_said(
    run: Run, kafka: Kafka, trouble: BaseException | None, code: ExitCode, begin: str
) -> None:
    """With what takes it back; nobody else does."""
    kafka.groups, kafka.trouble = [group(NEW, on={0: "trimtab"})], trouble
    ended, out, error = run("groups", "move", "billing", "trimtab", *WHY)

    assert (code, "") == (ended, out)
    assert error.startswith(begin)
    told = [line.removeprefix("trimtab: ") for line in error.splitlines()[1:]]
    undo = 'undo: trimtab groups move billing kafka --reason "as before"'
    assert ["move billing to the side of trimtab", undo] == told


@pytest.mark.parametrize(
    "unseen",
    [
        Failure("kafka.options: its key does not fit", ExitCode.USAGE),
        Failure("no right to describe it"),
    ],
)
def test_a_choice_that_is_written_is_said_however_the_waiting_ends(
    run: Run, kafka: Kafka, unseen: Failure
) -> None:
    """As while a certificate and its key are replaced one after the other."""
    kafka.groups, kafka.unseen = [group(NEW, on={0: "kafka"})], unseen
    code, _, error = run("groups", "move", "billing", "trimtab", *WHY)

    assert ExitCode.TIMEOUT == code
    assert str(unseen) in error
    assert error.endswith('undo: trimtab groups move billing kafka --reason "as before"\n')


def test_who_is_overruled_is_told(run: Run, kafka: Kafka, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another operator, meanwhile: the rest does not follow."""
    kafka.groups = [group(NEW, on={0: "trimtab"})]
    monkeypatch.setattr(kafka, "choose", lambda *_: setattr(kafka, "wanted", "kafka"))
    code, _, error = run("groups", "move", "billing", "trimtab", *WHY)

    said = "trimtab: billing: another command has chosen kafka since\n"
    assert (ExitCode.UNHEALTHY, said) == (code, error)


def test_who_came_meanwhile_and_cannot_move_is_named(run: Run, kafka: Kafka) -> None:
    """Nothing goes over beside that one."""
    before = group(NEW, on={0: "kafka", 1: "kafka"})
    kafka.groups = [before, before, group(NEW, OLD, on={0: "kafka", 1: "trimtab"})]
    code, _, error = run("groups", "move", "billing", "trimtab", *WHY)

    named = "1 of its members in Kafka cannot move: old at /10.0.0.7"
    assert ExitCode.TIMEOUT == code
    assert f"billing: 1 of 2 queues are there in time: {named}" in error


def test_who_cannot_move_hinders_nothing_on_the_way_back(run: Run, kafka: Kafka) -> None:
    """That one does not own what is not there."""
    kafka.groups = [group(NEW, OLD, on={0: "trimtab", 1: "kafka"}, olds=[1])]
    code, _, error = run("groups", "move", "billing", "kafka", *WHY)

    assert ExitCode.TIMEOUT == code
    assert "billing: 1 of 2 queues are there in time; the others follow" in error


@pytest.mark.parametrize("side", ["kafka", "trimtab"])
def test_nothing_is_chosen_when_the_time_is_up(
    run: Run, kafka: Kafka, monkeypatch: pytest.MonkeyPatch, side: Side
) -> None:
    """To look at the other half may take longer."""
    for half in (receiving, staying):
        monkeypatch.setattr(half, "look", lambda *_: kafka.clock.sleep(3_600))
    kafka.groups = [group(NEW, on={0: "kafka"})]
    code, _, error = run("groups", "move", "billing", side, *WHY)

    assert (ExitCode.TIMEOUT, []) == (code, kafka.chosen)
    assert "trimtab: billing stays: it could not be looked at in time" in error


def test_a_kafka_that_hangs_is_not_waited_for(
    run: Run, kafka: Kafka, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its client would wait for a minute; and Ctrl-C is heard."""
    kafka.groups = [group(NEW, on={0: "kafka"})]
    over = threading.Event()
    monkeypatch.setattr(kafka, "choose", lambda *_: over.wait(60))
    monkeypatch.setattr(group_moves, "_CHOOSE_S", 0.0)
    monkeypatch.setattr(receiving, "look", lambda *_: kafka.clock.sleep(60))
    code, _, error = run("groups", "move", "billing", "trimtab", *WHY)
    over.set()

    assert ExitCode.TIMEOUT == code
    assert "billing: Kafka has not said whether it has the choice. It may be written" in error
