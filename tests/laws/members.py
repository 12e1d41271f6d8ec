"""The SDK's real sessions, tabulated: what the explorer puts against the real controller.

What a member does next depends on its own state and on what it is given. So each step of a real
`MemberSession` is taken once, on a copy, and then looked up by its view; nothing of it is imitated
here. Only an eager member has no session: the SDK has none, so a rule of three lines stands for it.

Time stands still, so of a session's state only the baton counts, and the epoch that it has read.
What it has heard and had no use for is forgotten (a member may forget that): the explorer lets it
hear the same again at any time, also just before it reads a record.
"""

import copy
from collections.abc import Iterator
from typing import NamedTuple, assert_never

from tests.builders.sessions import GROUP, SESSION_MS, acknowledge, queue, sent
from tests.laws import views
from tests.laws.seen import seen
from tests.laws.spelling import assignment, heard, incarnation_of, life_of, name_of, read
from tests.laws.views import (
    REVOKING,
    WORKING,
    Duty,
    Mark,
    Record,
    Release,
    View,
    called,
    replaced,
)
from trimtab import protocol
from trimtab.session import MemberSession, Profile


class Read(NamedTuple):
    """It reads a record of its own, having heard of these releases."""

    record: Record | None
    heard: tuple[Release, ...] = ()


class Finish(NamedTuple):
    """Its application has stopped working on a queue."""

    queue: int


class Stop(NamedTuple):
    """It is asked to leave."""

    hurried: bool = True
    """It waits for no heir."""


Given = Read | Release | Mark | Finish | Stop
Said = tuple[Release | Mark, ...]


class Move(NamedTuple):
    """One thing that a member may do next."""

    name: str
    view: View
    released: Said = ()


class Members:
    """Every state of a member that was ever reached, by its view."""

    def __init__(self, *, in_order: bool) -> None:
        """Begin with none.

        Args:
            in_order: They read the log of releases in order, and remember what they have read.
        """
        self._in_order = in_order
        self._sessions: dict[View, MemberSession] = {}
        self._steps: dict[tuple[View, type[Given], Given], tuple[View, Said]] = {}
        self._moves: dict[View, tuple[Move, ...]] = {}
        self._starts: dict[View, tuple[tuple[Release, Move], ...]] = {}
        self._mistakes: dict[View, tuple[Move, ...]] = {}

    def moves(self, view: View) -> tuple[Move, ...]:
        """Everything that a living member may do by itself: read a record, finish with a queue."""
        if view not in self._moves:
            self._moves[view] = (*self._reads(view), *self._follows(view), *self.finishes(view))
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
        """The move by which it begins to leave, in a hurry if it knows nobody to hand on to."""
        stop = Stop(hurried=not self._in_order)
        return Move(f"{called(view)} is asked to leave", *self._step(view, stop))

    def hurries(self, view: View) -> Move:
        """The move by which it waits for an heir no longer."""
        return Move(f"the time of {called(view)} is up", *self._step(view, Stop()))

    def mistakes(self, view: View) -> tuple[Move, ...]:
        """What it would do wrongly on a release that is almost the one that it waits for."""
        if view not in self._mistakes:
            self._mistakes[view] = tuple(self._misheard(view))
        return self._mistakes[view]

    def _reads(self, view: View) -> Iterator[Move]:
        for skipping in sorted({0, views.newest(view)}) if view.unread else ():
            name = f"{called(view)} reads a record" + (f", skipping {skipping}" if skipping else "")
            yield Move(name, *self._read(view, skipping))

    def _follows(self, view: View) -> Iterator[Move]:
        """Read the next of the releases, if there is one."""
        if not view.ahead:
            return
        said = view.ahead[0]
        after, released = self._step(view._replace(ahead=view.ahead[1:]), said)
        if isinstance(said, Release) and said.to == (view.me, view.life):
            begun = views.has_begun(after, said)
            after = after._replace(wronged="" if begun else "a life that was named does not begin")
        yield Move(f"{called(view)} reads {said}", after, released)

    def holdings(self, view: View) -> frozenset[Release | Mark]:
        """Return what its guard releases when it is dead, and that it has gone."""
        if view.farewell and not views.owned(view):
            return frozenset()
        rows = self._session(views.known_to_itself(view)).holdings
        who = view.me, view.life
        said: set[Release | Mark] = {
            Release(
                *who,
                row.queue.id,
                row.epoch,
                row.next or 0,
                None if row.to is None else life_of(row.to),
                own=False,
                gone=True,
            )
            for row in rows
        }
        return frozenset(said or {Mark(*who, gone=True)})

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
    ) -> tuple[View, Said]:
        """Act on the record after the ``skipping`` oldest unread."""
        record, unread = view.unread[skipping], view.unread[skipping + 1 :]
        if record is None and not view.acted and not self._in_order:
            return replaced(view), ()  # it would ask again for ever, and so would its rival
        return self._step(view._replace(unread=unread), Read(record, heard))

    def _step(self, view: View, given: Given) -> tuple[View, Said]:
        if view.eager:
            assert isinstance(given, Read)
            return _complies(view, given.record), ()
        whole, view = view, views.known_to_itself(view)
        step = view, type(given), given  # ``Finish(0)`` and ``Stop(hurried=False)`` compare equal
        if step not in self._steps:
            session = copy.deepcopy(self._session(view))
            released = tuple(self._feed(session, given))
            after = seen(session, view, in_order=self._in_order)
            self._sessions.setdefault(after, session)
            self._steps[step] = after, released
        after, released = self._steps[step]
        return views.alike(after, whole), released

    def _session(self, view: View) -> MemberSession:
        if view not in self._sessions:
            assert not view.acted, view  # whatever has read a record was seen to get there
            profile = Profile(
                group=GROUP, member=name_of(view.me), topics=("orders",), instance=f"i{view.slot}"
            )
            self._sessions[view] = MemberSession(profile, incarnation_of(view.life), now=0)
            self._sessions[view].tick(0)
        return self._sessions[view]

    def _feed(self, session: MemberSession, given: Given) -> Iterator[Release | Mark]:
        """Give a session what happens; return what it releases with it."""
        match given:
            case Read(record, before):
                for release in before:
                    session.hear(heard(release), 0)
                own = None if record is None else assignment(session, record)
                actions = session.receive(own, 0)
            case Release() | Mark():
                actions = session.hear(heard(given), 0)
            case Finish(number):
                done = (grant for grant in session.revoking if grant.queue == queue(number))
                actions = session.finish(dict.fromkeys(done), 0)
            case Stop(hurried):
                patience = 0 if hurried else SESSION_MS
                actions = [*session.stop(0, timeout_ms=patience), *session.tick(0)]
            case _:
                assert_never(given)
        answers = acknowledge(session, actions, 0)
        while answers:
            actions += answers
            answers = acknowledge(session, answers, 0)
        for said in sent(protocol.Release, actions):
            yield from read(said, whole=self._in_order)


def _complies(view: View, record: Record | None) -> View:
    """Do what an eager member does: the record takes effect at once, and nobody hears of it."""
    if record is None or record.life > view.life:
        return replaced(view)
    if record.life < view.life:
        return view
    held = {number: epoch for number, epoch, *_ in record.hold}
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
    yield source._replace(to=(source.member, 0))  # a life that nobody has
    yield source._replace(member=source.member + 1)
    yield source._replace(queue=source.queue + 1)
