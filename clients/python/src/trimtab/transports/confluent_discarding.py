"""Letting go of a client of librdkafka, on a thread of its own.

To end one takes as long as its threads take to end, and one that is replaced is not well. Used
wherever one is. Its one rule: nobody waits.
"""

from threading import Thread


def discard(held: list[object]) -> None:
    """Let go of what is in this list; its caller holds it nowhere else."""
    Thread(target=held.clear, name="trimtab-discarding", daemon=True).start()
