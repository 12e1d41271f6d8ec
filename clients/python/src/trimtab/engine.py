"""The shell around a session: one thread that reads, beats and watches the clock.

It hands what the transport receives to the session and carries out what the session asks for. The
session is guarded by one lock, which is never held while waiting or while application code runs; so
a finished revocation is sent at once by the thread that finished it. Only the wish to leave comes
by a queue: a signal handler may have it, in the middle of what holds that lock.

Used by `Member`. Its one rule: it decides nothing; it only knows what time it is.
"""

import secrets
import threading
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import Final, Literal, assert_never

from trimtab.address import Address
from trimtab.callbacks import Callbacks, CallbackThread, Ownership
from trimtab.clock import now_ms, wall_ms
from trimtab.errors import (
    ConfigurationError,
    MemberFailedError,
    ReplacedError,
    TransportError,
    UndecodableRecord,
)
from trimtab.guarding import Guard
from trimtab.holdings import Holdings
from trimtab.inspection import Inspection
from trimtab.protocol import ASSIGNMENTS, RELEASES, decode
from trimtab.session import (
    Action,
    Assigned,
    Ended,
    Ending,
    FindEnd,
    Grant,
    Lost,
    MemberSession,
    Phase,
    Profile,
    Revoked,
    Send,
    Unheard,
    incarnation,
)
from trimtab.transports.contract import (
    CaughtUp,
    Delivered,
    Event,
    Received,
    Transport,
    Trouble,
    Undelivered,
)
from trimtab.watching import Watch

State = Phase | Literal["connecting", "failed"]

POLL_MS: Final = 50
"""The longest wait for a record: how late a stop, or a report of the producer, may be noticed."""
RETRY_S: Final = 1.0
"""Between two tries to connect."""
CLOSE_MS: Final = 2_000
"""Time for what is still to be sent when the member ends."""


class Engine:
    """A session, its transport and its two threads."""

    def __init__(
        self,
        profile: Profile,
        transport: Transport,
        callbacks: Callbacks,
        guard: Guard | None,
        inspection: Inspection | None = None,
    ) -> None:
        self._lock = threading.RLock()
        """Of everything here. It is taken by itself: `Condition` takes it in Python, and a signal
        handler of the application's own that raises just then would leave it taken for ever."""
        self.changed = threading.Condition(self._lock)
        """Notified whenever something has happened."""
        self.failure: MemberFailedError | None = None
        self.ending: Ending | None = None
        self._profile = profile
        self._transport = transport
        self._guard = guard
        self._callbacks = CallbackThread(callbacks, self.owned, self.finish, self.fail)
        self._session: MemberSession | None = None
        self._stopping = False
        self._wishes: SimpleQueue[tuple[int, bool]] = SimpleQueue()
        """To leave: the time for it, and whether the member will be back."""
        self._find_end = False
        self._watch = Watch(profile, self._callbacks, inspection)
        self._address = Address(profile.group, profile.member)
        self._group_key = profile.group.encode()
        self._thread = threading.Thread(target=self._run, name="trimtab-member", daemon=True)

    @property
    def state(self) -> State:
        """Where the member is in its life."""
        if self.failure is not None:
            return "failed"
        if self._session is not None:
            phase = self._session.phase
            is_told = self._stopping and phase in ("joining", "joined")
            return "draining" if is_told else phase
        return "ended" if self._stopping else "connecting"

    def start(self) -> None:
        """Start both threads."""
        if self._thread.ident is not None:
            raise ConfigurationError("start: a member cannot be started twice; make a new one")
        if self._guard is not None:
            stands = self._guard.start(lambda error: self._watch.happened(error, now_ms()))
            self._profile = replace(self._profile, guarded=stands)
        self._callbacks.start()
        self._thread.start()

    def working(self) -> tuple[Grant, ...]:
        """The grants that are valid at this moment."""
        with self._lock:
            if self._session is None:
                return ()
            self._perform(self._session.tick(now_ms()))
            return self._session.working

    def owned(self, grants: Collection[Grant]) -> Ownership:
        """Those of these grants that are valid at this moment, or not released yet."""
        with self._lock:
            if (session := self._session) is None:
                return Ownership(frozenset(), 0.0, "")
            if (now := now_ms()) >= session.wake_at:
                self._perform(session.tick(now))
            mine = frozenset(filter(session.owns, grants))
            until, by = session.wake_at / 1_000, session.finish_by_s(mine)
            return Ownership(mine, until, session.incarnation, session.promised, by)

    def want(self, profile: Profile) -> None:
        """Ask for something else from now on."""
        with self._lock:
            self._profile = replace(profile, guarded=self._profile.guarded)
            self._watch.follow(self._profile)
            if self._session is not None:
                self._perform(self._session.want(self._profile, now_ms()))

    def stop(self, timeout_ms: int, *, temporary: bool = False) -> None:
        """Begin to leave: have the member's thread do it, and take no lock."""
        self._stopping = True
        self._wishes.put((timeout_ms, temporary))

    def join(self, timeout: float) -> bool:
        """Wait until all is over, unless called by a callback; tell whether it is."""
        if self._callbacks.is_current():
            return False
        with self._lock:  # who waits is no signal handler: the thread need not return for it
            self._hear_wishes()
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive() and self._callbacks.join(timeout)

    def finish(self, positions: Mapping[Grant, int | None]) -> None:
        """The application has finished with revoked queues."""
        with self._lock:
            if self._session is not None:
                self._perform(self._session.finish(positions, now_ms()))

    def fail(self, failure: MemberFailedError) -> None:
        """End at once."""
        with self._lock:
            if self.failure is None:
                self.failure = failure
                self._callbacks.tell(failure)
            self._stopping = True  # it may not even be connected
            if self._session is not None:
                self._perform(self._session.abort(now_ms()))
            self.changed.notify_all()

    def _run(self) -> None:
        try:
            self._connect()
            while self._session is not None and self.ending is None:
                self._turn(self._session)
        except BaseException as error:  # noqa: BLE001 - the thread's last words, for the user
            self.fail(MemberFailedError.by(error))
        finally:
            try:
                self._transport.close(CLOSE_MS)
            finally:  # whatever a client library raises, who waits for the end is told
                if self._guard is not None and self.ending in (None, Ending.LEFT):
                    self._guard.dismiss()
                self._callbacks.finish()
                with self._lock:
                    self.changed.notify_all()

    def _connect(self) -> None:
        while not self._is_told_to_stop():
            try:
                self._transport.open(self._profile.group)
            except TransportError as error:
                self._watch.cannot_connect(error, now_ms())
                with suppress(Empty):
                    self._wishes.get(timeout=RETRY_S)
                continue
            self._watch.connected(now_ms())
            with self._lock:
                if self._is_told_to_stop():
                    return  # it was told to while Kafka was being asked
                life = incarnation(wall_ms(), secrets.randbits(32))
                self._session = MemberSession(self._profile, life, now_ms())
                self.changed.notify_all()
            return

    def _is_told_to_stop(self) -> bool:
        return self._stopping

    def _turn(self, session: MemberSession) -> None:
        """Wait for events until something is due, and deal with them."""
        with self._lock:
            self._hear_wishes()
            self._perform(session.tick(now_ms()))
            self._watch.look(session, now_ms())
            find_end, self._find_end = self._find_end, False
            self._tell_guard(self._guard is not None and self._guard.has_spoken())
            wait_ms = max(0, min(session.wake_at - now_ms(), POLL_MS))
        if find_end:
            self._transport.find_end(now_ms())
        for event in self._transport.poll(wait_ms):
            with self._lock:
                actions = self._answer(session, event)
                self._tell_guard(event)  # also if only the next of a grant has changed
                self._perform(actions)

    def _hear_wishes(self) -> None:
        """Begin to leave, if that is wished; a member that is connecting looks for itself."""
        while self._session is not None and not self._wishes.empty():
            timeout_ms, temporary = self._wishes.get()
            self._perform(self._session.stop(now_ms(), timeout_ms, temporary=temporary))

    def _answer(self, session: MemberSession, event: Event) -> list[Action]:
        now = now_ms()
        self._watch.hear(event, now)
        match event:
            case Received():
                return self._read(session, event, now)
            case Delivered(ticket):
                return session.acknowledged(ticket, now)
            case CaughtUp(at):
                return session.caught_up(at, now)
            case Undelivered(ticket):
                return session.failed(ticket, now)
            case Trouble():
                return []
            case _:
                assert_never(event)

    def _read(self, session: MemberSession, record: Received, now: int) -> list[Action]:
        """Take what is addressed to this member, or to its whole group."""
        try:
            if record.topic == ASSIGNMENTS.name and self._address.has(record.key, session):
                assignment = None if record.value is None else decode(ASSIGNMENTS, record.value)
                counts = self._address.counts(record.key, assignment, session)
                return session.receive(assignment, now) if counts else []
            is_release = record.topic == RELEASES.name and record.key == self._group_key
            if is_release and record.value is not None:  # a tombstone releases nothing
                return session.hear(decode(RELEASES, record.value), now)
        except UndecodableRecord as error:
            self._watch.happened(error, now_ms())
        return []

    def _tell_guard(self, news: object) -> None:
        """Say what is held, before the application hears of it and after Kafka has a release."""
        if news and self._guard is not None and self._session is not None:
            self._guard.keep(Holdings.of(self._session))

    def _perform(self, actions: Collection[Action]) -> None:
        self._tell_guard(actions)
        if Ended(Ending.REPLACED) in actions and self.failure is None:
            self.failure = ReplacedError(self._profile.member)
            self._callbacks.tell(self.failure)  # before what it has lost by that
        for action in actions:
            match action:
                case Send():
                    self._watch.sent(action)
                    self._transport.send(action)
                case FindEnd():
                    self._find_end = True  # by the thread that polls
                case Assigned() | Revoked() | Lost():
                    self._callbacks.tell(action)
                case Unheard():
                    self._watch.relapsed(action, now_ms())
                    self._transport.renew()
                case Ended(ending):
                    self.ending = ending
                case _:
                    assert_never(action)
        self.changed.notify_all()
