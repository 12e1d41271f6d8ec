"""How a start that is no standby's becomes the active one, and what it leaves if it does not."""

from threading import Event
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest
from structlog.testing import capture_logs

from streaming.query import QueryFailed
from streaming.start import _own_activation
from streaming.startup.delivery import Undelivered

NOTHING: Any = None


@pytest.mark.parametrize("takes_over", [True, False])
def test_a_start_that_was_told_to_stop_ends_no_other(
    monkeypatch: pytest.MonkeyPatch, *, takes_over: bool
) -> None:
    """Whoever sees that it is the wrong Kafka, and presses Ctrl-C, replaces nobody."""
    said: list[object] = []

    def announce(*given: object) -> tuple[int, ...]:
        said.append(given)
        return (0,)

    monkeypatch.setattr("streaming.start.StartWriter", lambda *_: NOTHING)
    monkeypatch.setattr("streaming.start.announce", announce)
    options = cast("Any", SimpleNamespace(query=SimpleNamespace(takes_over=takes_over)))
    other = cast("Any", SimpleNamespace(name=lambda _: None, let_end=lambda _: None))
    stop = Event()
    stop.set()

    assert _own_activation(options, other, stop) is None
    assert [] == said


@pytest.mark.parametrize("stopped", [True, False])
def test_a_start_that_is_told_to_stop_once_it_is_announced_says_what_it_leaves(
    monkeypatch: pytest.MonkeyPatch, *, stopped: bool
) -> None:
    """The other one reads the start, and ends: then there is no controller."""
    monkeypatch.setattr("streaming.start.StartWriter", lambda *_: NOTHING)
    monkeypatch.setattr("streaming.start.announce", lambda *_: (0,))
    query = SimpleNamespace(takes_over=True, checkpoint="/c")
    options = cast("Any", SimpleNamespace(query=query))
    stop = Event()

    def let_end(_stop: Event) -> None:
        if stopped:
            stop.set()

    other = cast("Any", SimpleNamespace(let_end=let_end))
    with capture_logs() as lines:
        _own_activation(options, other, stop)

    assert ([True] if stopped else []) == ["Start one" in line["event"] for line in lines]


def test_a_start_that_only_some_partitions_have_is_told_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of them is enough for the other controller to end."""
    stop = Event()

    def announce(*_: object) -> NoReturn:
        stop.set()
        raise Undelivered("announcing this start failed: Kafka does not answer")

    monkeypatch.setattr("streaming.start.StartWriter", lambda *_: NOTHING)
    monkeypatch.setattr("streaming.start.announce", announce)
    options = cast("Any", SimpleNamespace(query=SimpleNamespace(takes_over=True)))
    with capture_logs() as lines, pytest.raises(Undelivered):
        _own_activation(options, NOTHING, stop)

    assert [True] == ["Start one" in line["event"] for line in lines]


def test_a_start_that_finds_another_at_work_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the other one, and would find it again."""
    monkeypatch.setattr("streaming.start.announce", NOTHING)
    options = cast("Any", SimpleNamespace(query=SimpleNamespace(takes_over=False)))
    other = cast("Any", SimpleNamespace(name=lambda _: "b"))
    with pytest.raises(QueryFailed, match="another controller is at work: b") as ended:
        _own_activation(options, other, Event())

    assert not ended.value.passes
