"""One thread at a time takes messages of a consumer."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.unit.sdk.consuming.in_memory import InMemory
from trimtab.consuming.one_thread import OneThread
from trimtab.consuming.taking import Taking


def refused(work: Callable[[], object]) -> bool:
    """Whether another thread may not do this."""
    said: list[bool] = []

    def run() -> None:
        try:
            work()
        except RuntimeError:
            said.append(True)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return bool(said)


@pytest.mark.parametrize("message", ["message", ""], ids=["some", "one with nothing in it"])
def test_who_works_on_a_message_is_alone(message: str) -> None:
    """Another one that came back would say that it is done. A tombstone is falsy, by its length."""
    alone = OneThread()
    alone.enter()
    alone.took(message)
    alone.enter()

    assert refused(alone.enter)


def test_a_pool_is_told_why_it_is_refused() -> None:
    """Its threads take turns, which looks like two that work; there is a consumer for asyncio."""
    alone = OneThread()
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        one.submit(alone.enter).result()
        with pytest.raises(RuntimeError, match=r"nor a pool; with asyncio use AsyncConsumer$"):
            other.submit(alone.enter).result()


def test_with_nothing_in_hand_another_thread_may_come() -> None:
    """The main thread may have looked once before it starts a worker."""
    alone = OneThread()
    alone.enter()
    alone.took(None)

    assert not refused(alone.enter)


def test_who_has_ended_is_in_nobodys_way() -> None:
    """It works on nothing any more."""
    alone = OneThread()

    def take() -> None:
        alone.enter()
        alone.took("message")

    assert not refused(take)
    alone.enter()


def test_a_thread_that_only_begins_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no number yet, as nobody has who takes nothing."""
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.Thread()])

    OneThread().enter()


def test_a_second_loop_is_refused() -> None:
    """As a second poll is."""
    reading = InMemory()
    reading.grant(1)
    reading.offer(0, 1, 2)
    next(reading.taking.each())

    assert refused(lambda: next(reading.taking.each()))
    assert 0 == reading.intake.hand.at


def test_a_loop_that_is_over_lets_others_come() -> None:
    """Nothing of it is in hand."""
    reading = InMemory()
    taking = Taking(reading.intake, lambda: True)

    assert [] == list(taking.each())
    assert not refused(taking.alone.enter)
