"""A member that tells of trouble: to whom, and when."""

import logging
import threading

import pytest

from tests.builders.application import WAIT_S, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP
from trimtab import Grant, Member


def test_a_stuck_callback_is_logged_while_it_is_stuck(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With the line at which it is. `on_error` has to wait, as all callbacks do."""
    monkeypatch.setattr("trimtab.watching.CALLBACK_MS", 50)
    let_go, kafka, errors = threading.Event(), MemoryTransport(), list[Exception]()

    def wait_for_ever(_: tuple[Grant, ...]) -> None:
        let_go.wait(WAIT_S)

    with Member(
        group=GROUP,
        topics=["orders"],
        transport=kafka,
        on_assigned=wait_for_ever,
        on_error=errors.append,
    ) as member:
        kafka.assign(1, hold=[(0, 1)])
        until(lambda: caplog.messages)
        (record,) = caplog.records
        assert [] == errors
        let_go.set()
        until(lambda: errors)
        member.stop("0s")

    assert logging.WARNING == record.levelno
    assert "on_assigned has been running for 0.05 s (wait_for_ever, " in record.message
    assert f"{__file__}:" in record.message
    assert [record.message] == [str(it) for it in errors]


def test_trouble_is_logged_where_nobody_else_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """Without `on_error` it is a warning of the logger "trimtab", and with it it is none."""
    for on_error in (None, lambda _: None):
        kafka = MemoryTransport()
        kafka.reachable = False
        member = Member(group=GROUP, topics=["orders"], transport=kafka, on_error=on_error)
        member.start()
        if on_error is None:
            until(lambda: caplog.messages)
        assert member.stop("1s")

    assert ["nobody is there for billing"] == caplog.messages
    assert [logging.WARNING] == [it.levelno for it in caplog.records]
