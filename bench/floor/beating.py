"""The background of the steady scenario: everybody in the background groups beats once a second.

Spread evenly over the second, as the beats of real members are. Used by ``runner`` around what it
measures. Sequences grow from one block to the next, or the beats would be taken for old ones.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Event, Thread
from typing import Final

from bench.floor.writer import Writer
from bench.populations import beats

_SLICES: Final = 20
"""A beat waits up to 50 ms to be sent with others; Spark lets it wait for a second."""


class Background:
    """The members that do nothing but beat."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._sequences = count(1)

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Beat while the block runs.

        Raises:
            Failure: Kafka did not take the beats.
        """
        stop = Event()
        failures: list[Exception] = []
        thread = Thread(target=self._beat, args=(stop, failures), daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
        for failure in failures:
            raise failure

    def _beat(self, stop: Event, failures: list[Exception]) -> None:
        due = time.monotonic()
        try:
            for sequence in self._sequences:
                everybody = list(beats(sequence))
                for part in range(_SLICES):
                    due += 1 / _SLICES
                    if stop.wait(max(0.0, due - time.monotonic())):
                        return
                    self._writer.say(everybody[part::_SLICES])
        except Exception as failure:  # noqa: BLE001 - raised again where it can be seen
            failures.append(failure)
