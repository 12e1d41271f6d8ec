"""What is seen of a session: its state, as a view.

A session that reads the releases in order remembers what they say; of others that is forgotten.

Used by ``members``. Sessions that are seen alike do alike, whatever comes.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from tests.laws.spelling import incarnation_of, life_of, number_of, started
from tests.laws.views import REVOKING, WAITING, WORKING, Duty, Release, View, dead, replaced
from trimtab.protocol import LifeRef, QueueRef
from trimtab.session import MemberSession
from trimtab.session.baton import Baton
from trimtab.session.duty import Duty as State
from trimtab.session.duty import Revoking, Waiting, Working
from trimtab.session.nominee import Outlook
from trimtab.session.recall import Recall


def seen(session: MemberSession, view: View, *, in_order: bool) -> View:
    """Return what is seen of a session after a step from a view."""
    if session.phase == "ended" and view.stopping:
        return dead(view)
    if session.phase == "ended" or session.incarnation != incarnation_of(view.life):
        return replaced(view)
    baton = session._baton  # noqa: SLF001 - its state is what is explored
    assert isinstance(baton, Baton)
    duties, given = [Duty()] * len(view.duties), list(view.given)
    for ref, state in baton._states.items():  # noqa: SLF001 - as above
        duties[ref.id] = _duty(ref, state, whole=in_order)
    for ref, epoch in baton._let_go.items():  # noqa: SLF001 - as above
        given[ref.id] = epoch
    recall = session._recall  # noqa: SLF001 - as above
    if in_order:
        _forget(recall, view, given)
        view = view._replace(
            firsts=frozenset(_firsts(recall)),
            lives=tuple(_lives(recall)),
            farewell=not session._mark.goes_unsaid,  # noqa: SLF001 - as above
        )
    else:  # a member may forget what it has heard
        recall._firsts.clear()  # noqa: SLF001 - as above
        recall._lives.clear()  # noqa: SLF001 - as above
    return view._replace(
        acted=session.epoch,
        duties=tuple(duties),
        given=tuple(given),
        stopping=session.phase == "draining",
    )


def _forget(recall: Recall, view: View, given: Sequence[int]) -> None:
    """Forget the releases by which nothing can begin any more here, whatever comes."""
    me, firsts = (view.me, view.life), recall._firsts  # noqa: SLF001 - a member may forget
    for (ref, source), said in list(firsts.items()):
        other = said.to is not None and life_of(said.to) != me
        if said.next is None or other or said.next <= given[ref.id]:
            del firsts[ref, source]


def _firsts(recall: Recall) -> Iterator[Release]:
    """Return the first releases that a life remembers."""
    for (ref, (member, life, epoch)), said in recall._firsts.items():  # noqa: SLF001 - explored
        to = None if said.to is None else life_of(said.to)
        yield Release(number_of(member), started(life), ref.id, epoch, said.next or 0, to)


def _lives(recall: Recall) -> Iterator[tuple[int, int, int]]:
    """Return what a life knows of others: by member, which is there, and which has gone."""
    for member, known in sorted(recall._lives.items()):  # noqa: SLF001 - explored
        there, gone = (started(life) if life else 0 for life in known)
        yield number_of(member), there, gone


def _duty(ref: QueueRef, state: State, *, whole: bool) -> Duty:
    match state:
        case Working(grant, outlook) | Revoking(grant, _, outlook):
            place = WORKING if isinstance(state, Working) else REVOKING
            duty = Duty(place, grant.token, named=outlook.next.epoch if outlook.next else 0)
            return _with_outlook(duty, outlook) if whole else duty
        case Waiting(epoch, (member, life, under)):
            source = Release(number_of(member), started(life), ref.id, under, epoch)
            return Duty(WAITING, epoch, source)
        case _:
            assert_never(state)


def _with_outlook(duty: Duty, outlook: Outlook) -> Duty:
    """Add whose grant comes next, and of whom the queue was had, as far as a life knows."""
    following, source = outlook
    to = None if following is None or following.life is None else life_of(following.life)
    if source is None:
        return duty._replace(to=to)
    member, life = life_of(LifeRef(*source[:2]))
    return duty._replace(to=to, origin=(member, life, source[2]))
