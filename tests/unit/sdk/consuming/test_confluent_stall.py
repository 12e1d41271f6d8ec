"""When librdkafka is taken to read nothing more of a queue (fault H15)."""

from collections.abc import Sequence
from itertools import pairwise

import pytest

from tests.builders.sessions import queue
from trimtab.consuming import confluent_stall
from trimtab.consuming.confluent_stall import Stall
from trimtab.protocol import QueueRef
from trimtab.transports.confluent_ends import EndFinder, Ends, Partition, Unanswered

A, B = queue(0), queue(1)


class Kafka(EndFinder):
    """Answers at the second look, unless it is away."""

    def __init__(self) -> None:
        super().__init__({}, 1.0)
        self.ends = {A: 10, B: 20}
        self.is_away = False
        self._asked: Sequence[Partition] | None = None

    def ask(self, at: int, followed: Sequence[Partition]) -> None:
        """Note who is asked for."""
        self._at, self._asked = at, followed

    def answer(self) -> Ends | None:
        """Say where they end."""
        if self.is_away:
            raise Unanswered
        ends = {(it.topic, it.id): end for it, end in self.ends.items()}
        return Ends(self._at, {it: ends[it] for it in self._asked or ()})


class Reader:
    """A client, and who takes from it."""

    def __init__(self) -> None:
        self.kafka, self.heard = Kafka(), {A: 10, B: 20}
        self.wanted = {A, B}
        self.stall = Stall(self.kafka, self.heard.__getitem__, look_s=0.0)

    def looks(self, times: int = 1, *, drained: bool = True) -> set[QueueRef]:
        """Look so often, and hear the answer; return what stalls in the end."""
        found = set[QueueRef]()
        for _ in range(times):
            if drained:
                self.stall.drained()
            self.stall.found(frozenset(self.wanted))
            found = self.stall.found(frozenset(self.wanted))
        return found


@pytest.fixture
def reader() -> Reader:
    """One that has read all there is, and has been looked at."""
    reader = Reader()
    assert set() == reader.looks(3)
    return reader


def test_what_rests_does_not_stall(reader: Reader) -> None:
    """Nothing comes, because there is nothing."""
    assert set() == reader.looks(5)


def test_what_kafka_has_more_of_stalls_when_two_looks_have_found_that(reader: Reader) -> None:
    """At the first one it may be under way."""
    reader.kafka.ends[B] = 21

    assert set() == reader.looks()
    assert {B} == reader.looks()


def test_what_is_heard_of_does_not_stall(reader: Reader) -> None:
    """Kafka is ahead at each look, and the client follows."""
    for end in range(11, 30):
        reader.kafka.ends[A] = end
        assert set() == reader.looks()
        reader.heard[A] = end


def test_nothing_stalls_while_the_application_does_not_take(reader: Reader) -> None:
    """What it has not taken keeps librdkafka from fetching more."""
    reader.kafka.ends[A] = 11

    assert set() == reader.looks(5, drained=False)


def test_nothing_stalls_while_kafka_is_away(reader: Reader) -> None:
    """When it is back, it begins anew: the client needs a second to connect."""
    reader.kafka.ends[A] = 11
    reader.looks()
    reader.kafka.is_away = True
    assert set() == reader.looks(3)

    reader.kafka.is_away = False
    assert set() == reader.looks()
    assert {A} == reader.looks()


def test_a_new_client_has_two_looks_of_its_own(reader: Reader) -> None:
    """It had no time to connect yet."""
    reader.kafka.ends[B] = 21
    reader.looks(2)
    reader.stall.replaced({B})

    assert set() == reader.looks(2)
    assert {B} == reader.looks()


def test_what_no_new_client_reads_is_looked_at_ever_more_rarely(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A right is missing, perhaps; what else is read shall not suffer from it."""
    now = 1_000.0
    monkeypatch.setattr(confluent_stall, "now_s", lambda: now)
    reader.stall = Stall(reader.kafka, reader.heard.__getitem__, look_s=5.0)
    reader.kafka.ends[B] = 21
    at = []
    for _ in range(3_000):
        now += 1.0
        reader.heard[A] = reader.kafka.ends[A] = reader.heard[A] + 1
        if stalled := reader.looks():
            reader.stall.replaced(stalled)
            at.append(now)

    pauses = [later - earlier for earlier, later in pairwise(at)]
    assert sorted(pauses) == pauses
    assert pauses[0] < 40.0
    assert pauses[-1] > 600.0
    reader.heard[B] = 21
    reader.looks(2_000)
    assert set() == reader.looks()


def test_what_is_wanted_no_more_does_not_stall(reader: Reader) -> None:
    """It was paused, or went to somebody else."""
    reader.kafka.ends[A] = 11
    reader.looks()
    reader.wanted = {B}

    assert set() == reader.looks(3)
