"""Under which key a member is told: that of its name, or where twins are told apart its life's own.

The rule for twins may change while a group is at work, and then a name may be that of one life and
say nothing of the others. So what names no life of this process, null or a younger life, counts
under the key of the last answer alone. What names this life counts under either.
"""

from trimtab.protocol import Assignment, member_key
from trimtab.session import MemberSession


class Address:
    """One member's keys in `assignments`."""

    def __init__(self, group: str, member: str) -> None:
        self._key = member_key(group, member)
        self._answered = b""

    def has(self, key: bytes | None, session: MemberSession) -> bool:
        """Whether a record under this key may be the member's."""
        return key in (self._key, self._key + f"@{session.incarnation}".encode())

    def counts(self, key: bytes | None, record: Assignment | None, session: MemberSession) -> bool:
        """Whether a record says something of this life."""
        if record is not None and session.is_news(record):
            self._answered = key or b""
        return session.epoch == 0 or key == self._answered
