"""Patterns of topics, as the wire describes them; by another way than the controller's.

``*`` stands for any run of characters, ``?`` for any one, all else for itself, and the whole name
has to match; names that begin with ``__`` never do. Here the pattern is walked, character by
character, with every place of the name that may be reached; the controller walks the name.

Used by ``entitlement`` and ``rest``. Its one rule: it shares no code with what it judges.
"""

from collections.abc import Iterable
from itertools import accumulate
from operator import or_


def stand_for(patterns: Iterable[str], topic: str) -> bool:
    """Tell whether one of the patterns stands for a topic."""
    return not topic.startswith("__") and any(_stands_for(it, topic) for it in patterns)


def _stands_for(pattern: str, topic: str) -> bool:
    reached = [True] + [False] * len(topic)
    for it in pattern:
        if it == "*":
            reached = list(accumulate(reached, or_))
        else:
            passes = (it in ("?", character) for character in topic)
            reached = [False, *(was and now for was, now in zip(reached, passes, strict=False))]
    return reached[-1]
