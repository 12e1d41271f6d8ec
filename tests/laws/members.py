"""The SDK's real sessions, tabulated: what the explorer puts against the real controller.

What a member does next depends on its own state and on what it is given. So each step of a real
`MemberSession` is taken once, on a copy, and then looked up by its view; nothing of it is imitated
here. Only an eager member has no session: the SDK has none, so a rule of three lines stands for it.

Time stands still, so of a session's state only the baton counts, and the epoch that it has read.
What it has heard and had no use for is forgotten (a member may forget that): the explorer lets it
hear the same again at any time, also just before it reads a record.
"""

import copy
from collections.abc import Iterable, Iterator
from typing import NamedTuple, assert_never

from tests.builders.sessions import GROUP, SESSION_MS, acknowledge, queue, sent
from tests.laws import views
from tests.laws.views import (
    REVOKING,
    WAITING,
    WORKING,
    Duty,
    Inherit,
    Record,
    Release,
    Turn,
    View,
    called,
    dead,
    replaced,
)
from trimtab import protocol
from trimtab.protocol import Assignment, HolderRef, InheritRef, QueueRef, ReleaseRef
from trimtab.session import MemberSession, Profile, incarnation
from trimtab.session.baton import Baton
from trimtab.session.duty import Duty as State
from trimtab.session.duty import Revoking, Waiting, Working


class Read(NamedTuple):
    """It reads a record of its own, having heard of these releases."""

    record: Record | None
    heard: tuple[Release, ...] = ()


class Finish(NamedTuple):
    """Its application has stopped working on a queue."""

    queue: int


class Stop(NamedTuple):
    """It is asked to leave, and waits for no heir."""


Given = Read | Release | Finish | Stop


class Move(NamedTuple):
    """One thing that a member may do next."""

    name: str
    view: View
    released: tuple[Release, ...] = ()


class Members:
    """Every state of a member that was ever reached, by its view."""

    def __init__(self) -> None:
        self._sessions: dict[View, MemberSession] = {}
        self._steps: dict[tuple[View, Given], tuple[View, tuple[Release, ...]]] = {}
        self._moves: dict[View, tuple[Move, ...]] = {}
        self._starts: dict[View, tuple[tuple[Release, Move], ...]] = {}
        self._mistakes: dict[View, tuple[Move, ...]] = {}

    def moves(self, view: View) -> tuple[Move, ...]:
        """Everything that a living member may do by itself: read a record, finish with a queue."""
        if view not in self._moves:
            self._moves[view] = (*self._reads(view), *self.finishes(view))
        return self._moves[view]

    def finishes(self, view: View) -> Iterator[Move]:
        """The moves by which it stops working on a queue that it was told to give, and says so."""
        for number, duty in enumerate(view.duties):
            if duty.state == REVOKING:
                yield Move(f"{called(view)} releases q{number}", *self._step(view, Finish(number)))

    def starts(self, view: View) -> tuple[tuple[Release, Move], ...]:
        """The moves that one release allows: to hear of it and to start, now or when it reads."""
        if view not in self._starts:
            self._starts[view] = tuple(self._heard(view))
        return self._starts[view]

    def loses(self, view: View, said: Release) -> Move:
        """The move by which it hears that somebody else has released what it works on."""
        return Move(f"{called(view)} hears of {said}", *self._step(view, said))

    def stops(self, view: View) -> Move:
        """The move by which it begins to leave."""
        return Move(f"{called(view)} is asked to leave", *self._step(view, Stop()))

    def mistakes(self, view: View) -> tuple[Move, ...]:
        """What it would do wrongly on a release that is almost the one that it waits for."""
        if view not in self._mistakes:
            self._mistakes[view] = tuple(self._misheard(view))
        return self._mistakes[view]

    def _reads(self, view: View) -> Iterator[Move]:
        for skipping in sorted({0, len(view.unread) - 1}) if view.unread else ():
            name = f"{called(view)} reads a record" + (f", skipping {skipping}" if skipping else "")
            yield Move(name, *self._read(view, skipping))

    def _heard(self, view: View) -> Iterator[tuple[Release, Move]]:
        for number, duty in enumerate(view.duties):
            if duty.source is not None:
                name = f"{called(view)} hears of the release of q{number}"
                yield duty.source, Move(name, *self._step(view, duty.source))
        record = view.unread[0] if view.unread and not view.eager else None
        for line in record.inherit if record is not None else ():
            name = f"{called(view)} reads a record, having heard of the release of q{line.queue}"
            yield line.source, Move(name, *self._read(view, 0, (line.source,)))

    def _misheard(self, view: View) -> Iterator[Move]:
        awaited = {duty.source for duty in view.duties if duty.source is not None}
        for other in {each for source in awaited for each in _almost(source)} - awaited:
            after, released = self._step(view, other)
            if after != view:
                yield Move(f"{called(view)} hears of {other}", after, released)

    def _read(
        self, view: View, skipping: int, heard: tuple[Release, ...] = ()
    ) -> tuple[View, tuple[Release, ...]]:
        """Act on the record after the ``skipping`` oldest unread."""
        record, unread = view.unread[skipping], view.unread[skipping + 1 :]
        if record is None and not view.acted:
            return replaced(view), ()  # it would ask again for ever, and so would its rival
        return self._step(view._replace(unread=unread), Read(record, heard))

    def _step(self, view: View, given: Given) -> tuple[View, tuple[Release, ...]]:
        if view.eager:
            assert isinstance(given, Read)
            return _complies(view, given.record), ()
        whole, view = view, views.known_to_itself(view)
        if (view, given) not in self._steps:
            session = copy.deepcopy(self._session(view))
            released = tuple(_feed(session, given))
            after = _seen(session, view)
            self._sessions.setdefault(after, session)
            self._steps[view, given] = after, released
        after, released = self._steps[view, given]
        return views.alike(after, whole), released

    def _session(self, view: View) -> MemberSession:
        if view not in self._sessions:
            assert not view.acted, view  # whatever has read a record was seen to get there
            profile = Profile(
                group=GROUP, member=_name(view.me), topics=("orders",), instance=f"i{view.slot}"
            )
            self._sessions[view] = MemberSession(profile, _incarnation(view.life), now=0)
            self._sessions[view].tick(0)
        return self._sessions[view]


def _feed(session: MemberSession, given: Given) -> Iterator[Release]:
    """Give a session what happens; return what it releases with it."""
    match given:
        case Read(record, heard):
            for release in heard:
                session.hear(_release(release), 0)
            actions = session.receive(None if record is None else _assignment(session, record), 0)
        case Release():
            actions = session.hear(_release(given), 0)
        case Finish(number):
            done = (grant for grant in session.revoking if grant.queue == queue(number))
            actions = session.finish(dict.fromkeys(done), 0)
        case Stop():
            actions = [*session.stop(0, timeout_ms=0), *session.tick(0)]
        case _:
            assert_never(given)
    answers = acknowledge(session, actions, 0)
    while answers:
        actions += answers
        answers = acknowledge(session, answers, 0)
    for said in sent(protocol.Release, actions):
        who = _number(said.member), _life(said.incarnation)
        yield from (Release(*who, row.queue.id, row.epoch, row.next or 0) for row in said.queues)


def _seen(session: MemberSession, view: View) -> View:
    """What is seen of a session after a step from a view."""
    if session.phase == "ended" and view.stopping:
        return dead(view)
    if session.phase == "ended" or session.incarnation != _incarnation(view.life):
        return replaced(view)
    baton = session._baton  # noqa: SLF001 - its state is what is explored
    assert isinstance(baton, Baton)
    duties, given = [Duty()] * len(view.duties), list(view.given)
    for ref, state in baton._states.items():  # noqa: SLF001 - as above
        duties[ref.id] = _duty(ref, state)
    for ref, epoch in baton._let_go.items():  # noqa: SLF001 - as above
        given[ref.id] = epoch
    session._recall._firsts.clear()  # noqa: SLF001 - a member may forget what it has heard
    session._recall._lives.clear()  # noqa: SLF001 - as above
    return view._replace(
        acted=session.epoch,
        duties=tuple(duties),
        given=tuple(given),
        stopping=session.phase == "draining",
    )


def _duty(ref: QueueRef, state: State) -> Duty:
    match state:
        case Working(grant, outlook):
            return Duty(WORKING, grant.token, named=outlook.next.epoch if outlook.next else 0)
        case Revoking(grant, _, outlook):
            return Duty(REVOKING, grant.token, named=outlook.next.epoch if outlook.next else 0)
        case Waiting(epoch, (member, life, under)):
            source = Release(_number(member), _life(life), ref.id, under, epoch)
            return Duty(WAITING, epoch, source)
        case _:
            assert_never(state)


def _complies(view: View, record: Record | None) -> View:
    """Do what an eager member does: the record takes effect at once, and nobody hears of it."""
    if record is None or record.life > view.life:
        return replaced(view)
    if record.life < view.life:
        return view
    held = {number: epoch for number, epoch, _ in record.hold}
    duties = tuple(
        Duty(WORKING, held[number]) if number in held else Duty()
        for number in range(len(view.duties))
    )
    return view._replace(acted=record.epoch, duties=duties)


def _almost(source: Release) -> Iterator[Release]:
    """Releases that differ from one in one respect."""
    yield source._replace(epoch=source.epoch - 1)
    yield source._replace(named=source.named + 1)
    yield source._replace(life=source.life + 1)
    yield source._replace(member=source.member + 1)
    yield source._replace(queue=source.queue + 1)


def _assignment(session: MemberSession, record: Record) -> Assignment:
    """Write a record as it would be on the wire."""
    return Assignment.model_construct(
        group=GROUP,
        member=session.profile.member,
        incarnation=_incarnation(record.life),
        epoch=record.epoch,
        target_epoch=record.epoch,
        hold=_turns(record.hold),
        give=_turns(record.give),
        inherit=tuple(map(_inherit, record.inherit)),
        session_timeout_ms=SESSION_MS,
        revocation_timeout_ms=60_000,
        heartbeat_interval_ms=3_000,
        join_again=None,
    )


def _inherit(line: Inherit) -> InheritRef:
    source = line.source
    life = _incarnation(source.life)
    return InheritRef(*queue(line.queue), line.epoch, _name(source.member), life, source.epoch)


def _turns(turns: Iterable[Turn]) -> tuple[HolderRef, ...]:
    return tuple(HolderRef(*queue(number), epoch, named or None) for number, epoch, named in turns)


def _release(release: Release) -> protocol.Release:
    return protocol.Release.model_construct(
        member=_name(release.member),
        incarnation=_incarnation(release.life),
        sequence=1,
        queues=(ReleaseRef(*queue(release.queue), release.epoch, None, release.named or None),),
    )


def _name(member: int) -> str:
    return f"m{member}"


def _number(name: str) -> int:
    return int(name.removeprefix("m"))


def _incarnation(life: int) -> str:
    return incarnation(life, 0)


def _life(text: str) -> int:
    return int(text.partition("-")[0])
