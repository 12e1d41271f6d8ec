"""Filters: which messages of a topic, in RocketMQ's words.

A subscription says "tagA || tagB" or carries an expression of another kind (SQL92). The client
sends the broker the tags, and a hash of each for its index. This module makes them as RocketMQ's
``FilterAPI`` (5.3.3; 4.9.8 is the same) does, with the same refusals.

Used by tests, to write heartbeats as a RocketMQ client does. On every input it does what Java does.
"""

from typing import Final

from trimtab.faults.java import string_hash
from trimtab.protocol.heartbeat_data import SubscriptionData

TAG: Final = "TAG"
_ALL: Final = "*"
_OR: Final = "||"
_BLANK: Final = "".join(map(chr, range(33)))
"""What Java's ``trim`` takes off: a no-break space stays."""


def tagged(topic: str | None, expression: str | None, now: int) -> SubscriptionData:
    """Subscribe by tags (``FilterAPI.buildSubscriptionData``); nothing or ``*`` is all of them.

    Raises:
        ValueError: The expression is nothing but separators.
    """
    if not expression or expression == _ALL:
        return SubscriptionData(topic=topic, sub_string=_ALL, sub_version=now)
    parts = expression.split(_OR)
    if not any(parts):  # Java drops what is empty at the end, so this is nothing at all
        raise ValueError("subString split error")
    tags = frozenset(filter(None, (part.strip(_BLANK) for part in parts)))
    return SubscriptionData(
        topic=topic,
        sub_string=expression,
        tags_set=tags,
        code_set=frozenset(map(string_hash, tags)),
        sub_version=now,
    )


def filtered(
    topic: str | None, expression: str | None, kind: str | None, now: int
) -> SubscriptionData:
    """Subscribe by an expression of any kind (``FilterAPI.build``); no kind is tags.

    Raises:
        ValueError: There is no expression, and the kind needs one.
    """
    if kind is None or kind == TAG:
        return tagged(topic, expression, now)
    if not expression:
        raise ValueError(f"Expression can't be null! {kind}")
    return SubscriptionData(
        topic=topic, sub_string=expression, expression_type=kind, sub_version=now
    )
