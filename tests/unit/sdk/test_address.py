"""Under which key a member is told, where the rule for twins was changed.

An older life has the plain name then, and this one has a name of its own.
"""

import pytest

from tests.builders.application import Application, until
from tests.builders.memory import MemoryTransport
from tests.builders.sessions import GROUP, assignment, queue
from trimtab import Grant
from trimtab.protocol import ASSIGNMENTS, encode, member_key


@pytest.mark.usefixtures("member")
def test_what_is_told_to_another_life_under_the_name_is_not_for_this_one(
    kafka: MemoryTransport, application: Application
) -> None:
    """Neither that it is gone nor what it has; what names this life counts under each name."""
    life = kafka.joined().incarnation
    mine, theirs = member_key(GROUP, f"m@{life}"), member_key(GROUP, "m")
    younger = assignment(2, incarnation=f"{life[:-8]}ffffffff")
    kafka.publish(ASSIGNMENTS.name, mine, encode(assignment(1, hold=[(0, 1)], incarnation=life)))
    for value in (encode(younger), None):
        kafka.publish(ASSIGNMENTS.name, theirs, value)
    kafka.assign(3, hold=[(0, 1), (1, 3)])  # of a controller that knows the other rule
    kafka.publish(ASSIGNMENTS.name, mine, None)
    kafka.assign(4, hold=[(0, 1), (1, 3), (2, 4)])
    until(lambda: len(application.heard) == 3)

    grants = [Grant(queue(0), 1), Grant(queue(1), 3), Grant(queue(2), 4)]
    assert [("assigned", (it,)) for it in grants] == application.heard
    kafka.publish(ASSIGNMENTS.name, theirs, None)
    until(lambda: application.told("lost"))
