"""The statement: which queues of a member the controller has been told of.

A beat says what the member owns only when that has changed. "As in my last beat" is safe only if
the last full statement is in the log; so a statement is repeated until Kafka has acknowledged it.
"""

from trimtab.protocol import GrantRef

Owned = tuple[GrantRef, ...]


class Statement:
    """The last full statement, and whether it is in the log."""

    def __init__(self) -> None:
        self._owned: Owned | None = None
        self._ticket: int | None = None
        self._acknowledged = False

    def differs(self, owned: Owned) -> bool:
        """Whether this was never said, or something else since."""
        return owned != self._owned

    def due(self, owned: Owned) -> Owned | None:
        """What the next beat has to say; None: nothing new."""
        return None if self._acknowledged and not self.differs(owned) else owned

    def outdated(self) -> None:
        """Something was let go, and is to be told of again.

        What was never started stood in no statement, so that no change of what is owned tells of
        it: if its release is lost, only a new statement can.
        """
        self._owned = None

    def sent(self, ticket: int, owned: Owned) -> None:
        """A full statement is on its way."""
        self._owned, self._ticket, self._acknowledged = owned, ticket, False

    def acknowledged(self, ticket: int) -> None:
        """A record is in the log."""
        self._acknowledged = self._acknowledged or ticket == self._ticket
