"""Threads that end are noticed."""

from threading import Event

import pytest

from streaming.feeds.supervision import FeedFailed, feeding


class Patient:
    """A feed that does as it is told."""

    name = "patience"

    def run(self, stop: Event) -> None:
        """Wait for the end."""
        stop.wait()


class Failing(Patient):
    """A feed that breaks."""

    name = "trouble"

    def run(self, stop: Event) -> None:
        """Break."""
        del stop
        raise RuntimeError("out of paper")


class Idle(Patient):
    """A feed that has nothing to do and goes home."""

    name = "idleness"

    def run(self, stop: Event) -> None:
        """Go home."""


def test_feeds_run_until_they_are_told_to_stop() -> None:
    """Leaving the block ends them, and waits for that."""
    stop = Event()
    with feeding((Patient(), Patient()), stop) as look:
        look()

    assert stop.is_set()


@pytest.mark.parametrize(
    ("feed", "complaint"),
    [
        (Failing(), "the feed of trouble ended: out of paper"),
        (Idle(), "the feed of idleness ended: the reason is unknown"),
    ],
)
def test_a_feed_that_ends_by_itself_is_an_error(feed: Patient, complaint: str) -> None:
    """With or without an error of its own; the others are told to stop."""
    stop = Event()
    with pytest.raises(FeedFailed, match=complaint):
        watch(feed, stop)

    assert stop.is_set()


def watch(feed: Patient, stop: Event) -> None:
    """Look at a feed, and at one that does as it is told, for as long as both run."""
    with feeding((Patient(), feed), stop) as look:
        while not stop.wait(0.01):
            look()
