"""Threads that end are noticed."""

from threading import Event

import pytest

from streaming.feeds.supervision import FeedFailed, feeding


class Patient:
    """A feed that does as it is told."""

    name = "patience"
    has_ended = False

    def run(self, stop: Event) -> None:
        """Wait for the end."""
        self.has_ended = stop.wait()


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
    feeds = Patient(), Patient()
    with feeding(feeds) as look:
        look()
        assert not any(feed.has_ended for feed in feeds)

    assert all(feed.has_ended for feed in feeds)


@pytest.mark.parametrize(
    ("feed", "complaint"),
    [
        (Failing(), "the feed of trouble ended: out of paper"),
        (Idle(), "the feed of idleness ended: the reason is unknown"),
    ],
)
def test_a_feed_that_ends_by_itself_is_an_error(feed: Patient, complaint: str) -> None:
    """With or without an error of its own; the others are told to stop."""
    other = Patient()
    with pytest.raises(FeedFailed, match=complaint):
        watch(feed, other)

    assert other.has_ended


def watch(feed: Patient, other: Patient) -> None:
    """Look at a feed, and at one that does as it is told, for as long as both run."""
    with feeding((other, feed)) as look:
        while not other.has_ended:
            look()
