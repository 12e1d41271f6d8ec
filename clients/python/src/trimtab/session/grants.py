"""A grant: the right to work on a queue, with the proof of it and the place to begin.

What the application gets in `on_assigned` and sends with its writes: the token grows with
every owner of a queue, so a store that keeps the highest one seen can refuse a late writer. Its one
rule: it is a value; it does not know whether it is still valid.
"""

from dataclasses import dataclass

from trimtab.protocol import QueueRef


@dataclass(frozen=True, slots=True)
class Grant:
    """What an application gets. Two grants of one queue never have the same token."""

    queue: QueueRef
    token: int
    """The fencing token: the epoch of the grant. Send it with your writes; a store that remembers
    the largest token it has seen can refuse a worker that was replaced."""
    position: int | None = None
    """Where the last owner stopped, if it said so; None: begin at the committed offset."""
