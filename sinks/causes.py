"""Causes on the wire.

Every record that reports a decision says why it was made; this is the one place where the
brain's cause becomes the wire's. Called by the sinks that publish decisions.

Its one rule: the cause names the very record of the log that the brain named.
"""

from rebalance.causes import Cause
from trimtab import protocol


def cause_of(cause: Cause) -> protocol.Cause:
    """Write a cause."""
    return protocol.Cause(
        kind=cause.kind.value,
        subject=cause.subject,
        topic=cause.position.topic,
        partition=cause.position.partition,
        offset=cause.position.offset,
        detail=cause.detail or None,
    )
