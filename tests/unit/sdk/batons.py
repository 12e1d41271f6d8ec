"""Batons at the beginning of a story: of a life that works on queue 0, or waits for it.

What the tests of the baton share. All are of member "m", in the life MINE.
"""

from tests.builders.sessions import MINE, a_release, assignment, queue
from trimtab.protocol import LifeRef, Release
from trimtab.session import Grant
from trimtab.session.baton import Baton
from trimtab.session.recall import Recall

DEADLINE = 1_000


def a_baton() -> Baton:
    """A life that has seen no assignment."""
    return Baton(LifeRef("m", MINE), Recall(), lambda topic: topic == "orders")


def holding(epoch: int = 1) -> Baton:
    """A life that works on queue 0."""
    baton = a_baton()
    baton.obey(assignment(epoch, hold=[(0, epoch)]), DEADLINE)
    return baton


def waiting() -> Baton:
    """A life that is promised queue 0 under epoch 2, once "a" has released it under 1."""
    baton = a_baton()
    baton.obey(assignment(2, inherit=[(0, 2, "a", 1)]), DEADLINE)
    return baton


def mine(*rows: tuple[int, int, int | None, int | None]) -> Release:
    """A release in the name of the life that is tested."""
    return a_release("m", *rows, incarnation=MINE)


def grant(number: int = 0, token: int = 1, position: int | None = None) -> Grant:
    """A grant of one of the test's queues."""
    return Grant(queue(number), token, position)
