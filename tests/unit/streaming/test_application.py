"""What a signal does to a controller: the first one lets it end, the second one ends it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from threading import Event
from types import SimpleNamespace
from typing import NoReturn

import pytest
from pyspark import SparkContext

from streaming.application import _ended_by, _told_by_signals
from streaming.startup.delivery import Undelivered

TERM, INT = signal.SIGTERM, signal.SIGINT


class Ended(BaseException):
    """The process is gone."""


class Asked(BaseException):
    """Who took the signal before a controller did takes it."""


@pytest.fixture
def jvm() -> Iterator[subprocess.Popen[bytes]]:
    """One that hangs."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


@pytest.fixture(autouse=True)
def _others_take_signals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The process does not end, and whoever called the controller takes signals as well."""

    def ended(code: int) -> NoReturn:
        raise Ended(code)

    def asked(*_: object) -> NoReturn:
        raise Asked

    monkeypatch.setattr(os, "_exit", ended)
    before = {number: signal.signal(number, asked) for number in (TERM, INT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def twice(first: signal.Signals, second: signal.Signals) -> None:
    """Tell it to stop, and again."""
    stop = Event()
    with _told_by_signals(stop):
        signal.raise_signal(first)
        assert stop.is_set()
        signal.raise_signal(second)


@pytest.mark.parametrize(
    ("first", "second", "code"), [(TERM, TERM, 0), (INT, INT, 130), (TERM, INT, 130)]
)
def test_a_second_signal_ends_it_at_once(
    monkeypatch: pytest.MonkeyPatch,
    jvm: subprocess.Popen[bytes],
    first: signal.Signals,
    second: signal.Signals,
    code: int,
) -> None:
    """It asks no JVM to end: that may hang, and is killed."""
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(proc=jvm))
    with pytest.raises(Ended) as ended:
        twice(first, second)

    assert (code,) == ended.value.args
    assert -signal.SIGKILL == jvm.wait(10)


def test_without_a_jvm_a_second_one_is_for_whoever_took_it_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing hangs that would not hear it."""
    monkeypatch.setattr(SparkContext, "_gateway", None)
    with pytest.raises(Asked):
        twice(TERM, TERM)


def test_an_interrupt_is_told_to_whoever_asked_when_all_is_put_away() -> None:
    """As if nobody had taken it; being told to end is no error."""
    with pytest.raises(KeyboardInterrupt), _told_by_signals(Event()):
        signal.raise_signal(INT)
    with _told_by_signals(Event()):
        signal.raise_signal(TERM)


def test_what_was_under_way_when_it_was_told_to_stop_is_no_failure() -> None:
    """And no other end: Ctrl-C is told to whoever asked."""

    def start(told: signal.Signals | None) -> None:
        stop = Event()
        with _told_by_signals(stop), _ended_by(stop):
            if told is not None:
                signal.raise_signal(told)
            raise Undelivered("announcing this start failed: Kafka does not answer")

    start(TERM)
    with pytest.raises(KeyboardInterrupt):
        start(INT)
    with pytest.raises(Undelivered):
        start(None)
