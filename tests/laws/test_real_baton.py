"""The last link of the proof: a real member does what the explorer's model member does.

``test_baton`` puts the real controller against model members. Here every record that a model member
reads in such an exploration is also given to the SDK's own ``Baton`` in the same situation, and the
two must agree: on what is worked on, given up and waited for, and on what is released at once.
"""

from collections.abc import Iterable

import pytest

from tests.laws import model_member
from tests.laws.exploration import Exploration
from tests.laws.model_member import (
    IDLE,
    REVOKING,
    WAITING,
    WORKING,
    Claim,
    Inherit,
    Orders,
    Release,
    View,
)
from tests.laws.worlds import Scope, Trouble
from trimtab import protocol
from trimtab.protocol import Assignment, GrantRef, InheritRef, QueueRef, ReleaseRef
from trimtab.session.baton import Baton
from trimtab.session.recall import Recall

Answer = tuple[View, tuple[Release, ...]]


def queue(number: int) -> QueueRef:
    """Name a queue."""
    return QueueRef("orders", "", number)


def grants(claims: Iterable[Claim]) -> tuple[GrantRef, ...]:
    """Write claims as they would be on the wire."""
    return tuple(GrantRef(*queue(number), epoch) for number, epoch in claims)


def assignment(
    hold: Iterable[Claim], give: Iterable[Claim], inherit: Iterable[Inherit] = ()
) -> Assignment:
    """Write a record as it would be on the wire."""
    rows = tuple(
        InheritRef(*queue(number), epoch, str(source.member), str(source.life), source.epoch)
        for number, epoch, source in inherit
    )
    return Assignment.model_construct(hold=grants(hold), give=grants(give), inherit=rows)


def situated(view: View) -> Baton:
    """Lead a real baton to where a model member is: at most two records do."""
    claims: dict[int, list[Claim]] = {IDLE: [], WAITING: [], WORKING: [], REVOKING: []}
    for number, duty in enumerate(view.duties):
        claims[duty.state].append((number, duty.epoch))
    over = [claim for claim in enumerate(view.given) if claim[1] and claim not in claims[REVOKING]]
    inherit = [
        Inherit(number, duty.epoch, duty.source)
        for number, duty in enumerate(view.duties)
        if duty.source is not None
    ]
    baton = Baton(str(view.me), str(view.life), Recall())
    baton.obey(assignment(claims[REVOKING], over), deadline=0)
    baton.obey(assignment(claims[WORKING], claims[REVOKING], inherit), deadline=0)
    return baton


def follow(baton: Baton, orders: Orders) -> list[Claim]:
    """Give a real baton a record; return what it lets go at once."""
    changes = baton.obey(assignment(orders.hold, orders.give, orders.inherit), deadline=0)
    return [(ref.id, ref.epoch) for ref in changes.released]


def waiting(baton: Baton, view: View) -> list[Claim]:
    """Let a real baton hear what a model waits for; return what it starts on."""
    started = []
    for duty in view.duties:
        if duty.source is not None:
            number, epoch = duty.source.queue, duty.source.epoch
            heard = protocol.Release.model_construct(
                member=str(duty.source.member),
                incarnation=str(duty.source.life),
                queues=(ReleaseRef(*queue(number), epoch, None),),
            )
            started += [(each.queue.id, each.token) for each in baton.hear(heard).assigned]
    return started


def claimed(view: View, state: int) -> list[Claim]:
    """What a model member claims in a state."""
    return [(number, d.epoch) for number, d in enumerate(view.duties) if d.state == state]


def test_real_member_obeys_as_the_model_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every situation that an exploration reaches, both do the same."""
    model, compared = model_member.obeys, 0

    def both(before: View, orders: Orders) -> Answer:
        nonlocal compared
        compared += 1
        baton = situated(before)
        let_go = follow(baton, orders)
        after, released = model(before, orders)

        assert [(each.queue, each.epoch) for each in released] == let_go
        assert claimed(after, WORKING) == [(each.queue.id, each.token) for each in baton.working]
        assert claimed(after, REVOKING) == [(each.queue.id, each.token) for each in baton.revoking]
        assert claimed(after, WAITING) == waiting(baton, after)
        return after, released

    model_member.moves.cache_clear()
    monkeypatch.setattr(model_member, "obeys", both)
    outcome = Exploration(Scope(2, 2, Trouble(wishes=2, losses=1))).run()
    model_member.moves.cache_clear()

    assert "" == outcome.violation
    assert compared > 200
