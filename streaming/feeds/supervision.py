"""Supervision: feeds run in threads, and a thread that ends is noticed.

A feed ends when it is told to. One that ends otherwise, with an error or without, leaves the
controller half blind: without ticks dead members stay, without routes topics never grow.

Used by ``start``. Its one rule: a feed that ended by itself is an error, even without an
exception.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

from streaming.feeds.feed import Feed


class FeedFailed(Exception):  # noqa: N818 - it names what happened
    """A feed has ended without being told to."""


@contextmanager
def feeding(feeds: Sequence[Feed], stop: Event) -> Iterator[Callable[[], None]]:
    """Run feeds meanwhile; yields a look at them, which raises ``FeedFailed`` if one has ended."""
    with ThreadPoolExecutor(len(feeds), thread_name_prefix="feed") as pool:
        running = {feed.name: pool.submit(feed.run, stop) for feed in feeds}

        def look() -> None:
            for name, thread in running.items():
                if thread.done():
                    error = thread.exception()
                    reason = error or "the reason is unknown"
                    raise FeedFailed(f"the feed of {name} ended: {reason}") from error

        try:
            yield look
        finally:
            stop.set()  # or the pool would wait for its threads for ever
