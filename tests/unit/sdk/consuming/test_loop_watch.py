"""A loop that does not come back: from a handler, or from the client, whose turn others need."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

import pytest

from tests.builders.application import WAIT_S, released_queues, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from tests.unit.sdk.test_consumer import a_consumer, soon
from trimtab import StuckError
from trimtab.consuming.fair_lock import FairLock
from trimtab.consuming.intake import Intake
from trimtab.consuming.taking import Taking


def stuck(reading: InMemory) -> bool:
    """Whether the loop is found to be stuck."""
    reading.upkeep.loop.look()
    time.sleep(0.1)
    reading.upkeep.loop.look()
    return bool(reading.stuck)


def test_a_commit_of_what_is_lost_is_taken_back_whatever_hangs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A callback of the application's, and Kafka, which the upkeep asks meanwhile."""
    reading, hanging, dropped = InMemory(), threading.Event(), threading.Event()
    monkeypatch.setattr(reading.kafka, "write", lambda _: Future[object]())
    monkeypatch.setattr(reading.kafka, "drop", dropped.set)
    monkeypatch.setattr(reading.upkeep, "look", lambda **_: hanging.wait(WAIT_S))
    monkeypatch.setattr(reading.upkeep.loop, "_max_poll_s", 600.0)  # it is not stuck
    grant = reading.grant(1)
    reading.handover.commits.write_soon(lambda: {grant: 7})
    reading.upkeep.start()
    try:
        assert not dropped.wait(0.5)
        reading.owned.clear()
        assert dropped.wait(WAIT_S / 2)
    finally:
        hanging.set()
        reading.upkeep.finish()


def test_it_is_taken_back_also_when_the_loop_was_told_to_be_stuck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The watch has ended then, or hangs in `on_error`, and the member may be long to leave."""
    reading = InMemory()
    told, hanging, dropped = (threading.Event() for _ in range(3))

    def hangs(_: float) -> None:
        told.set()
        hanging.wait(WAIT_S)

    monkeypatch.setattr(reading.kafka, "write", lambda _: Future[object]())
    monkeypatch.setattr(reading.kafka, "drop", dropped.set)
    monkeypatch.setattr("trimtab.consuming.commits.PATIENCE_S", 2 * WAIT_S)  # then it is over
    monkeypatch.setattr(reading.upkeep.loop, "_max_poll_s", 0.0)
    monkeypatch.setattr(reading.upkeep.loop, "_stuck", hangs)
    grant = reading.grant(1)
    reading.handover.commits.write_soon(lambda: {grant: 7})
    reading.upkeep.start()
    try:
        assert told.wait(WAIT_S)
        assert not dropped.is_set()
        reading.owned.clear()
        assert dropped.wait(WAIT_S / 2)
    finally:
        hanging.set()
        reading.upkeep.finish()


def test_a_loop_that_was_told_to_stop_may_be_stuck() -> None:
    """Its member beats on, and nobody else would get its queues."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0)
    reading.taken()
    reading.intake.stop()

    assert stuck(reading)


def test_what_is_left_of_a_lost_queue_may_be_stuck() -> None:
    """Its member has other queues, and nobody else would get these."""
    reading = InMemory()
    grant = reading.grant(1)
    reading.offer(0)
    reading.taken()
    reading.lose(grant)
    reading.intake.stop()

    assert stuck(reading)


def test_nobody_else_moves_a_stuck_loop() -> None:
    """What is paused, sought or lost meanwhile is no message that was asked for."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1)
    reading.taken()
    reading.upkeep.loop.look()
    for _ in range(5):
        time.sleep(0.02)
        reading.parts.set_paused([queue()], paused=True)
        reading.parts.set_paused([queue()], paused=False)
        reading.upkeep.loop.look()

    assert reading.stuck
    assert reading.upkeep.loop.since_poll > 0.05


def test_a_loop_that_has_ended_is_not_stuck() -> None:
    """Its block may work on: close a file, write a report."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1)
    reading.taken()
    reading.intake.stop()
    reading.taking = Taking(reading.intake, lambda: reading.intake.over)

    assert reading.take() is None
    assert not stuck(reading)


def test_who_has_left_its_loop_is_not_stuck() -> None:
    """It works on nothing."""
    reading = InMemory()
    reading.intake.give_up()

    assert not stuck(reading)


def test_a_loop_need_not_come_back_while_the_machine_sleeps() -> None:
    """Nor did anybody look meanwhile; after that it has its time."""
    reading = InMemory()
    reading.upkeep.loop.look()
    reading.upkeep.loop.forgive(600.0)
    time.sleep(0.1)  # longer than a loop has
    reading.upkeep.loop.look()
    slept = list(reading.stuck)
    reading.upkeep.loop.forgive(0.25)
    reading.upkeep.loop._moved_at -= 600.0  # noqa: SLF001 - as if that time had passed
    reading.upkeep.loop.look()

    assert [] == slept
    assert reading.stuck


@pytest.mark.slow
def test_a_loop_that_hangs_in_the_client_gives_its_queues_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A deserializer or a callback of the application's own runs there, and others would wait."""
    monkeypatch.setattr("trimtab.consuming.fair_lock.HUNG_S", 0.2)
    kafka, hang, told = MemoryTransport(), threading.Event(), list[str]()
    consumer = a_consumer(
        kafka, max_poll_interval="300ms", on_revoked=lambda _: told.append("revoked")
    )
    client = consumer._parts.intake.client  # noqa: SLF001 - a real one calls the application's code
    monkeypatch.setattr(client, "take", lambda *_: [hang.wait(WAIT_S)][1:])

    def release() -> None:
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: released_queues(kafka))
        told.append("released")
        hang.set()

    def work() -> None:
        with consumer:
            threading.Thread(target=release, daemon=True).start()
            list(consumer)

    with soon(), pytest.raises(StuckError, match="has not come back for"):
        work()

    assert ["revoked", "released"] == told


@pytest.mark.parametrize("end", [Intake.stop, Intake.give_up])
def test_a_loop_that_hangs_in_the_client_is_stuck_though_it_was_told_to_stop(
    monkeypatch: pytest.MonkeyPatch, end: Callable[[Intake], object]
) -> None:
    """By `stop`, a signal, or a task that is cancelled: it has no message, and does not end."""
    reading, hang = InMemory(), threading.Event()
    monkeypatch.setattr(reading.kafka, "take", lambda *_: [hang.wait(WAIT_S)][1:])
    thread = threading.Thread(target=reading.intake.fetch, args=(1.0,), daemon=True)
    thread.start()
    until(lambda: reading.intake.in_client)
    end(reading.intake)
    is_stuck = stuck(reading)
    hang.set()
    thread.join(WAIT_S)

    assert (True, False) == (is_stuck, reading.intake.in_client)


def test_whatever_is_told_while_a_loop_hangs_in_the_client_waits_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A change of the group may come in the middle of it."""
    monkeypatch.setattr("trimtab.consuming.fair_lock.HUNG_S", 0.0)
    reading, hang = InMemory(), threading.Event()
    grant = reading.grant(1)
    monkeypatch.setattr(reading.kafka, "take", lambda *_: [hang.wait(WAIT_S)][1:])
    thread = threading.Thread(target=reading.intake.fetch, args=(1.0,), daemon=True)
    thread.start()
    until(lambda: reading.intake.steps)
    reading.upkeep.loop.look()
    until(lambda: stuck(reading))
    reading.grant(2)
    positions = reading.handover.on_revoked((grant,))
    reading.lose(grant)
    with pytest.raises(StuckError):
        reading.parts.lag()
    hang.set()
    thread.join(WAIT_S)

    assert ({}, [True]) == (positions, reading.revoked)


@pytest.mark.parametrize(("hangs_s", "told"), [(0.3, 1), (WAIT_S, 0)])
def test_who_leaves_waits_until_it_is_told_that_it_was_stuck(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, hangs_s: float, told: int
) -> None:
    """Or what `on_error` sends or writes would be lost; but it does not wait for ever."""
    monkeypatch.setattr("trimtab.consuming.upkeep._FAREWELL_S", 0.6)
    reading, began, goes_on, ended = InMemory(), threading.Event(), threading.Event(), list[float]()

    def hear(seconds: float) -> None:
        began.set()
        goes_on.wait(hangs_s)
        ended.append(seconds)

    monkeypatch.setattr(reading.upkeep.loop, "_stuck", hear)
    reading.upkeep.start()
    assert began.wait(WAIT_S)
    reading.parts.close()
    heard = list(ended)
    goes_on.set()

    assert (told, 1 - told) == (len(heard), len(caplog.messages))
    assert all(it.startswith("left while on_error hangs (hear, ") for it in caplog.messages)


def test_who_comes_after_one_that_has_waited_in_vain_does_not_wait_as_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A hand-over needs several turns, and so do the calls of other threads: it would add up."""
    monkeypatch.setattr("trimtab.consuming.fair_lock.HUNG_S", 0.6)
    turn, waits = FairLock(), list[float]()
    turn.limit()

    def wait() -> None:
        began = time.monotonic()
        with suppress(StuckError), turn:
            pass
        waits.append(time.monotonic() - began)

    def wait_beside() -> None:
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(WAIT_S)

    with turn:
        wait_beside()
        wait_beside()
    wait_beside()
    first, second, free = waits

    assert (True, True, True) == (first > 0.6, second < 0.5, free < 0.2)
