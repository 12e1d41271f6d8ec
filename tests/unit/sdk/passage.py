"""Time passes for a session, and Kafka answers it.

What the tests of a session share: a grant, the time of the fence, and a Kafka that confirms
whatever is sent until a given time. Its one rule: a deaf Kafka says nothing at all.
"""

from tests.builders.sessions import (
    SESSION_MS,
    acknowledge,
    only,
    queue,
)
from trimtab.session import (
    Action,
    FindEnd,
    Grant,
    MemberSession,
)
from trimtab.session.fencing import within

YOUNGER = "1767225600001-00000000"
FENCE_MS = within(SESSION_MS)
GRANT = Grant(queue(), 1)


def run_until(session: MemberSession, end: int, *, deaf: bool = False) -> list[Action]:
    """Let time pass, with Kafka answering everything unless deaf; return the actions."""
    actions: list[Action] = []
    while session.phase != "ended" and session.wake_at <= end:
        now = session.wake_at
        due = session.tick(now)
        while due:
            actions += due
            looked = [] if deaf or not only(FindEnd, due) else session.caught_up(now, now)
            due = looked + ([] if deaf else acknowledge(session, due, now))
    return actions
