"""Causes on the wire: the brain's cause of a decision as a record has it.

Used by the sinks that publish decisions.
"""

from rebalance.causes import Cause
from trimtab import protocol
from trimtab.protocol.reasons import one_line


def cause_of(cause: Cause) -> protocol.Cause:
    """Write a cause."""
    return protocol.Cause(
        kind=cause.kind.value,
        subject=cause.subject,
        topic=cause.position.topic,
        partition=cause.position.partition,
        offset=cause.position.offset,
        detail=text_of(cause.detail),
    )


def text_of(detail: str) -> str | None:
    """Write what is for people to read: it may quote several names, each as long as allowed."""
    return one_line(detail) or None
