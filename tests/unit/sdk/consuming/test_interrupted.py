"""A signal handler of the application's own may raise anywhere: `sys.exit` at SIGTERM is common."""

import threading
import time
from collections.abc import Callable
from typing import Final

import pytest

from tests.builders.memory import MemoryTransport
from tests.builders.sessions import queue
from tests.unit.sdk.consuming.in_memory import InMemory
from tests.unit.sdk.test_consumer import a_consumer
from trimtab.consuming.bell import Bell
from trimtab.consuming.confluent import ConfluentClient
from trimtab.consuming.contract import Wish
from trimtab.consuming.fair_lock import FairLock

HELD_S = 0.3
"""Far longer than it takes to get a free one."""


def is_free(lock: FairLock, within: float = 10.0) -> bool:
    """Whether another thread gets it."""
    got = threading.Event()

    def take() -> None:
        with lock:
            got.set()

    threading.Thread(target=take, daemon=True).start()
    return got.wait(within)


def test_a_lock_is_let_go_of_by_whoever_should_not_have_it() -> None:
    """It was taken, and no block was entered."""
    lock = FairLock()
    lock.__enter__()
    taken = not is_free(lock, HELD_S)
    lock.heal()

    assert (True, True) == (taken, is_free(lock))


def test_who_has_it_may_take_it_again_though_another_waits() -> None:
    """A callback of the client's runs while messages are taken, and may ask for the lag."""
    lock, others, again = FairLock(), list[threading.Thread](), threading.Event()

    def take_twice() -> None:
        with lock:
            others.append(threading.Thread(target=is_free, args=(lock, HELD_S), daemon=True))
            others[0].start()
            time.sleep(0.1)  # it waits
            with lock:
                again.set()

    threading.Thread(target=take_twice, daemon=True).start()

    assert again.wait(10.0)


def test_who_waits_is_left_alone() -> None:
    """Another thread has it, and is at work."""
    lock = FairLock()
    with lock:
        threads = [threading.Thread(target=lock.heal)]
        threads[0].start()
        threads[0].join()
        assert not is_free(lock, HELD_S)


def test_a_block_is_left_at_once_whatever_was_interrupted() -> None:
    """Its other threads need what the application's own had taken."""
    kafka = MemoryTransport()
    with a_consumer(kafka) as consumer:
        kafka.assign(1, hold=[(0, 1)])
        consumer.member.wait_until(lambda it: it.assignment)
        consumer._parts.intake.turn.__enter__()  # noqa: SLF001 - as if a handler had raised
        began = time.monotonic()

    assert time.monotonic() - began < 15


def test_a_loop_goes_on_whatever_was_interrupted() -> None:
    """The application may catch what its handler raises."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0)
    next(reading.taking.each())
    reading.intake.turn.__enter__()
    next(reading.taking.each())

    assert is_free(reading.intake.turn)


def test_a_queue_that_was_to_be_read_elsewhere_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read no more at the old place, and not yet at the new one."""
    reading = InMemory()
    reading.grant(1)

    def interrupted(_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as handler:
        handler.setattr(reading.kafka, "begin", interrupted)
        with pytest.raises(InterruptedError):
            reading.parts.seek(queue(), 7)
    assert {queue(): 0} == reading.kafka.begun
    reading.offer(7)
    reading.taken()

    assert {queue(): 7} == reading.kafka.begun


def one_by_one(reading: InMemory) -> None:
    """Take messages as a loop does, for as long as there are some."""
    while reading.take(0.0):
        pass


def in_batches(reading: InMemory) -> None:
    """Wait for more before each batch is handed out."""
    while not reading.intake.hand.messages:
        reading.intake.collect(99, 0.0)
    reading.intake.collect(99, 0.0)
    reading.intake.hand_out(99)
    reading.intake.collect(99, 0.0)


Loop = Callable[[InMemory], None]
LOOPS: Final = pytest.mark.parametrize("loop", [one_by_one, in_batches])


def after_ten_and_a_mistake(loop: Loop) -> InMemory:
    """Ten messages are done, none is committed, and the client has raised when it had the next."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(10))
    loop(reading)
    reading.offer(10)
    reading.kafka.interrupts = True
    with pytest.raises(InterruptedError):
        loop(reading)
    reading.kafka.interrupts = False
    return reading


@LOOPS
def test_what_was_done_before_the_client_raised_is_handed_on_as_done(loop: Loop) -> None:
    """It may be a deserializer that raises: each heir would do the ten again, and not pass it."""
    reading = after_ten_and_a_mistake(loop)
    reading.intake.give_up()

    assert {queue(): 10} == reading.handover.on_revoked(tuple(reading.owned))


@LOOPS
def test_what_was_done_before_the_client_raised_does_not_come_again(loop: Loop) -> None:
    """Only what it had then may be lost."""
    reading = after_ten_and_a_mistake(loop)
    reading.offer(10)

    assert (10, {queue(): 10}) == (reading.taken().offset(), reading.kafka.begun)


def test_a_callback_of_the_client_may_pause_a_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is called while messages are taken; what is done by then does not come again."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(*range(10))
    for _ in range(10):
        reading.taken()

    def take(*_: object) -> list[object]:
        reading.parts.set_paused([queue()], paused=True)
        return []

    monkeypatch.setattr(reading.kafka, "take", take)
    reading.take(0.0)

    assert {queue(): 10} == reading.kafka.begun


def test_librdkafka_is_asked_what_it_reads() -> None:
    """It refuses to end what it does not read, and to begin what it reads."""
    client = ConfluentClient(Wish("127.0.0.1:1", "billing", {"log_level": 0}, {}, 2.0))
    client.begin({queue(0): 0, queue(1): 0})
    client.end([queue(0)])
    client.end([queue(0), queue(1)])
    client.begin({queue(0): 5})
    client.begin({queue(0): 7})
    ends = client.ends([queue(0)])
    client.close()

    assert {} == ends  # and nothing was raised


def test_a_bell_that_rang_before_is_heard() -> None:
    """Who waits looks once too often rather than too late."""
    bell = Bell()
    bell.set()
    bell.set()
    began = time.monotonic()
    bell.wait(5)
    bell.set()
    bell.clear()
    at_once = time.monotonic() - began
    bell.wait(0.1)

    assert (True, True) == (at_once < 1, time.monotonic() - began - at_once >= 0.1)
