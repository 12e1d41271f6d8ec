"""The smallest member keeps the rules of `docs/other-languages.md` that a good day never asks for.

Kafka is a list here, and time passes as it is read.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from tests.builders import smallest
from tests.builders.sessions import assignment
from tests.builders.smallest import Smallest
from trimtab.protocol import encode

KEY = "billing/stranger"
AHEAD = "1767225900000-00000001"
"""A life that looks younger: where it began the clock was five minutes ahead."""


@dataclass
class Kafka:
    """Takes everything that is written, and has what is to be read."""

    now: float = 100.0
    slept: float = 0.0
    """How long the machine has slept so far."""
    log: list[tuple[str, bytes | None]] = field(default_factory=list)
    """Of `assignments`: keys and values."""
    sent: list[dict[str, Any]] = field(default_factory=list)
    then: list[Callable[[], object]] = field(default_factory=list)
    """What happens next, one thing whenever all was read."""
    at_first: list[Callable[[], object]] = field(default_factory=list)
    """What happens before it learns that its first record is written."""
    read: int = 0
    place: object = None

    def time(self, clock: int) -> float:
        """Tell the time; most clocks stand still while the machine sleeps."""
        return self.now + (self.slept if clock == time.CLOCK_BOOTTIME else 0)

    # As a producer.

    def produce(
        self, _topic: str, value: bytes, _key: bytes, on_delivery: Callable[..., None]
    ) -> None:
        """Take a record."""
        self.sent.append(json.loads(value))
        while self.at_first:
            self.at_first.pop(0)()
        on_delivery(None, SimpleNamespace(partition=lambda: 0))

    def flush(self, _patience: float) -> None:
        """Nothing is on its way."""

    # As a consumer.

    def poll(self, timeout: float) -> object:
        """Hand out the next record."""
        self.now += timeout
        if self.read < len(self.log):
            key, value = self.log[self.read]
            offset, self.read = self.read, self.read + 1
            return SimpleNamespace(
                error=lambda: None, offset=lambda: offset, key=key.encode, value=lambda: value
            )
        if self.then and self.place is not None:
            self.then.pop(0)()
        return None

    def get_watermark_offsets(self, *_: object) -> tuple[int, int]:
        """Say where the log ends."""
        return 0, len(self.log)

    def assign(self, places: object) -> None:
        """Note that it is read."""
        self.place = places

    def close(self) -> None:
        """Nothing to do."""

    def joins(self) -> list[dict[str, Any]]:
        """What asked to join."""
        return [it for it in self.sent if it["kind"] == "join"]


@pytest.fixture
def kafka(monkeypatch: pytest.MonkeyPatch) -> Kafka:
    """The Kafka of one member, and its clock."""
    made = Kafka()
    writer = SimpleNamespace(produce=made.produce, flush=made.flush, poll=lambda _: None)
    monkeypatch.setattr(smallest, "Producer", lambda _: writer)
    monkeypatch.setattr(smallest, "Consumer", lambda _: made)
    clock = SimpleNamespace(clock_gettime=made.time, time_ns=lambda: 1_767_225_600_000_000_000)
    monkeypatch.setattr(smallest, "time", clock)
    return made


def lives(kafka: Kafka, *events: Callable[[], object]) -> None:
    """Run a member through these events, and have it leave."""
    member = Smallest("nowhere", "t.", "billing", "orders", "stranger")
    kafka.then = [*events, lambda: setattr(member, "leaving", True)]
    member.run()


def tells(
    kafka: Kafka,
    epoch: int,
    *,
    key: str = KEY,
    incarnation: str | None = None,
    join_again: bool | None = None,
) -> Callable[[], None]:
    """Write an assignment for the life that spoke last, or for another one."""

    def tell() -> None:
        life = incarnation or kafka.sent[-1]["incarnation"]
        record = assignment(epoch, hold=[(0, epoch)], member="stranger", incarnation=life)
        record = record.model_copy(update={"join_again": join_again})
        kafka.log.append((key.format(life), encode(record)))

    return tell


def waits(kafka: Kafka, seconds: float) -> Callable[[], None]:
    """Let time pass."""

    def wait() -> None:
        kafka.now += seconds

    return wait


def last_epochs(kafka: Kafka) -> list[int | None]:
    """What each join said that an earlier life acted on last."""
    return [it["last_epoch"] for it in kafka.joins()]


def test_the_first_life_was_told_nothing_and_later_ones_what_it_was(kafka: Kafka) -> None:
    """Zero is none, and not the same as to say nothing: that is a process that came just now."""
    lives(kafka, waits(kafka, 9), lambda: None, tells(kafka, 7), waits(kafka, 9), lambda: None)

    assert [None, 0, 7] == last_epochs(kafka)


def test_who_slept_loses_everything_before_it_reads(
    kafka: Kafka, capsys: pytest.CaptureFixture[str]
) -> None:
    """Others have had its queues meanwhile."""

    def sleep() -> None:
        kafka.slept = 60.0
        tells(kafka, 8)()

    lives(kafka, tells(kafka, 7), sleep, lambda: None)

    assert ["begin orders-0 7", "lose orders-0 7"] == capsys.readouterr().out.splitlines()


def test_it_joins_again_as_long_as_it_is_asked_to(kafka: Kafka) -> None:
    """The controller has forgotten what it wants."""
    asked, answered = tells(kafka, 7, join_again=True), tells(kafka, 8)
    lives(kafka, asked, waits(kafka, 2), waits(kafka, 2), answered, waits(kafka, 2), lambda: None)

    assert 3 == len(kafka.joins())
    assert 1 == len({it["incarnation"] for it in kafka.joins()})


def test_its_key_may_name_its_life(kafka: Kafka) -> None:
    """With `policy.on_twin = "separate"` it does."""
    lives(kafka, tells(kafka, 7, key=KEY + "@{}"), lambda: None)

    assert 7 == max(it["epoch"] for it in kafka.sent if it["kind"] == "beat")


def test_what_is_told_to_another_life_under_the_name_is_not_for_it(kafka: Kafka) -> None:
    """An older life had the name when the rule for twins was changed."""
    others = [tells(kafka, 8, incarnation=AHEAD), lambda: kafka.log.append((KEY, None))]
    lives(kafka, tells(kafka, 7, key=KEY + "@{}"), *others, lambda: None)

    assert [None] == last_epochs(kafka)


def test_what_stood_there_before_it_came_is_no_younger_life(kafka: Kafka) -> None:
    """It left, and its tombstone follows. It began on a host whose clock was ahead."""
    tells(kafka, 6, incarnation=AHEAD)()
    kafka.log.append((KEY, None))
    lives(kafka, tells(kafka, 7), lambda: None)

    assert 7 == max(it["epoch"] for it in kafka.sent if it["kind"] == "beat")


def test_a_younger_life_ends_it(kafka: Kafka) -> None:
    """It stands behind what was there."""
    with pytest.raises(SystemExit):
        lives(kafka, tells(kafka, 7), tells(kafka, 8, incarnation=AHEAD), lambda: None)


def test_a_younger_life_ends_it_though_both_came_before_it_began_to_read(kafka: Kafka) -> None:
    """Its process stood still for a while, or its client was slow to connect."""
    kafka.at_first = [tells(kafka, 7), tells(kafka, 8, incarnation=AHEAD)]

    with pytest.raises(SystemExit):
        lives(kafka, lambda: None)


def test_what_nobody_takes_is_released_to_nobody_before_it_leaves(kafka: Kafka) -> None:
    """Else the controller finds it working, and gone."""
    lives(kafka, tells(kafka, 7), lambda: None)
    *_, release, leave = kafka.sent

    assert ("release", "leave") == (release["kind"], leave["kind"])
    assert [{"topic": "orders", "queues": [[0, 7, None, None]]}] == release["queues"]["queues"]
