"""Messages that are lost and that nobody asked about: the log says how many."""

import re

import pytest

from trimtab.sending.given_up import GivenUp


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The time, which passes when a test says so."""
    now = [5_000]
    monkeypatch.setattr("trimtab.sending.given_up.now_ms", lambda: now[0])
    return now


def counts(caplog: pytest.LogCaptureFixture) -> list[int]:
    """What each line says."""
    return [int(it) for it in re.findall(r"given up: (\d+) messages", caplog.text)]


def test_all_that_fail_at_a_moment_are_in_the_lines(
    now: list[int], caplog: pytest.LogCaptureFixture
) -> None:
    """Also if none fails after that; and there is a line a second at most."""
    lost = GivenUp()
    for _ in range(3):
        for number in range(1_000):
            lost.add("t", 3, f"timed out {number}")
            if number == 400:
                lost.tell()
        now[0] += 50
    assert [401] == counts(caplog)
    assert "to topic t after 3 tries: timed out 400" in caplog.text
    for _ in range(40):
        now[0] += 50
        lost.tell()

    assert [401, 2_599] == counts(caplog)


def test_the_end_does_not_wait(now: list[int], caplog: pytest.LogCaptureFixture) -> None:
    """Who closes has no later."""
    lost = GivenUp()
    for _ in range(2):
        lost.add("t", 3, "timed out")
        lost.tell()
    lost.tell_all()
    lost.tell_all()
    now[0] += 5_000
    lost.tell()

    assert [1, 1] == counts(caplog)
