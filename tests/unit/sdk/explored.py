"""Real sessions as states of a search: a number for each state, and remembered steps.

What a member does next depends on its own state and input only. So each step of a real
`MemberSession` is taken once, on a copy, and then looked up.
"""

import copy
from typing import NamedTuple, assert_never

from tests.builders.sessions import GROUP, a_release, orders, sent
from tests.unit.sdk.coach import Claim, Order
from trimtab.protocol import Assignment, Release
from trimtab.session import Action, MemberSession, Profile

LIFE = "1767225600000-00000002"
"""Every member lives once, so that one incarnation serves all."""


class Read(NamedTuple):
    """The member reads its orders, the n-th of them."""

    number: int
    order: Order


class Hear(NamedTuple):
    """The member reads a release."""

    release: Claim


class Finish(NamedTuple):
    """The application has stopped."""


Input = Read | Hear | Finish


class Members:
    """All states of members that were reached."""

    def __init__(self) -> None:
        self._sessions: list[MemberSession] = []
        self._numbers: dict[object, int] = {}
        self._steps: dict[tuple[int, Input], tuple[int, tuple[int, ...]]] = {}

    def born(self, name: int) -> int:
        """A member that has asked to join."""
        profile = Profile(group=GROUP, member=str(name), topics=("orders",))
        session = MemberSession(profile, LIFE, now=0)
        session.tick(0)
        return self._number(session)

    def step(self, member: int, given: Input) -> tuple[int, tuple[int, ...]]:
        """The state after an input, and the epochs released with it."""
        if (member, given) not in self._steps:
            session = copy.deepcopy(self._sessions[member])
            releases = sent(Release, _feed(session, given))
            epochs = tuple(row.epoch for release in releases for row in release.queues)
            self._steps[member, given] = self._number(session), epochs
        return self._steps[member, given]

    def owns(self, member: int) -> bool:
        """Whether it works on the queue, or has not yet stopped."""
        session = self._sessions[member]
        return bool(session.working or session.revoking)

    def works(self, member: int) -> bool:
        """Whether it works on the queue."""
        return bool(self._sessions[member].working)

    def _number(self, session: MemberSession) -> int:
        baton = session._baton  # noqa: SLF001 - the state itself is looked for, not its effects
        states, let_go = str(baton._states), str(baton._let_go)  # noqa: SLF001 - its state is what is explored
        recall = frozenset(baton._recall._positions)  # noqa: SLF001 - its state is what is explored
        face = (session.profile.member, session.epoch, states, let_go, recall)
        if face not in self._numbers:
            self._numbers[face] = len(self._sessions)
            self._sessions.append(session)
        return self._numbers[face]


def _feed(session: MemberSession, given: Input) -> list[Action]:
    name = session.profile.member
    match given:
        case Read(number, order):
            return session.receive(_record(name, number, order), 0)
        case Hear((member, epoch)):
            return session.hear(a_release(str(member), (0, epoch, None), incarnation=LIFE), 0)
        case Finish():
            return session.finish(dict.fromkeys(session.revoking), 0)
        case _:
            assert_never(given)


def _record(name: str, number: int, order: Order) -> Assignment:
    claim = [(0, order.epoch)]
    inherit = (
        [] if order.source is None else [(0, order.epoch, str(order.source[0]), order.source[1])]
    )
    return orders(
        number,
        hold=claim if order.verb == "hold" else (),
        give=claim if order.verb == "give" else (),
        inherit=inherit,
        member=name,
        incarnation=LIFE,
    )
