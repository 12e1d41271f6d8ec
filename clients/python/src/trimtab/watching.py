"""What a member watches beside its session: Kafka, the controller, its callbacks, its surroundings.

A session knows no trouble but its own: it asks to join until it is answered, and waits for a
callback for as long as it takes. People want to be told. Used by `engine`, on its thread, at each
turn. Its one rule: it changes nothing; whatever it finds is only told.
"""

import logging
from functools import partial
from typing import Final

from trimtab.callbacks import CallbackThread
from trimtab.errors import (
    NoControllerError,
    NoTopicError,
    SharedGroupError,
    SlowCallbackError,
    TransportError,
    TrimtabError,
)
from trimtab.inspection import Controllers, Inspection, Surroundings
from trimtab.listing import listed
from trimtab.protocol import MEMBERS
from trimtab.relapses import Relapses
from trimtab.session import MemberSession, Profile, Send, Unheard
from trimtab.session.fencing import within
from trimtab.transports.contract import CaughtUp, Delivered, Event, Trouble, Undelivered
from trimtab.transports.inspector import LastTick, Subscriber
from trimtab.troubles import Subject, Troubles

_LOGGER: Final = logging.getLogger("trimtab")
UNANSWERED_MS: Final = 15_000
"""A controller answers within a second. One that takes over, or catches up, needs ten."""
_EVIDENCE_MS: Final = 3_000
"""So long before that, it is asked whether one ticks."""
AROUND_MS: Final = 60_000
"""Between two looks around: each of very many members connects once for it."""
ABSENT_MS: Final = 10_000
"""For a controller to grant queues of a topic that is not there: routes may come from a file."""
CALLBACK_MS: Final = 15_000
"""For a callback that has no time of its own."""
_NAMED: Final = 5
"""Subscribers that are named; the rest is counted."""


class Watch:
    """Of one member."""

    def __init__(
        self,
        profile: Profile,
        callbacks: CallbackThread,
        inspection: Inspection | None,
    ) -> None:
        self._profile = profile
        self._troubles = Troubles(callbacks.tell, partial(_LOGGER.warning, "%s"))
        self._relapses = Relapses()
        self._callbacks = callbacks
        self._inspection = inspection
        self._joins: set[int] = set()
        """The tickets of those that are not known to be in the log."""
        self._tries = 0
        self._guesses = 0
        """Tries to connect, one after another, of which nobody has said why they failed."""
        self._asked_at: int | None = None
        """Since when a join has been in the log, unanswered."""
        self._evidence: str | None = None
        self._around_at: int | None = None
        """When to look around again."""
        self._absent: dict[str, int] = {}
        """Topics that were not there, and since when."""
        self._held: set[str] = set()
        """Topics of which the member has had a queue: they exist, wherever that is."""
        self._granted_ms = profile.session_timeout_ms
        """The session that was granted last."""

    def follow(self, profile: Profile) -> None:
        """The member wants other topics."""
        self._profile = profile
        self._absent = {it: at for it, at in self._absent.items() if it in profile.topics}
        self._around_at = None

    def sent(self, message: Send) -> None:
        """A record is on its way."""
        if message.topic == MEMBERS.name:
            self._joins.add(message.ticket)

    def hear(self, event: Event, now: int) -> None:
        """Something came from Kafka."""
        match event:
            case Delivered(ticket):
                self._troubles.written(now)
                if ticket in self._joins:
                    self._joins.discard(ticket)
                    self._tries += 1
                    self._asked_at = now if self._asked_at is None else self._asked_at
            case CaughtUp():
                self._troubles.read(now)
            case Undelivered(ticket, reason):
                self._joins.discard(ticket)
                self._meet(f"a record did not reach Kafka: {reason}", reason, now)
            case Trouble(reason):
                self._meet(reason, reason, now)
            case _:
                pass  # a record is the session's

    def relapsed(self, unheard: Unheard, now: int) -> None:
        """The member has taken itself for dead."""
        self._troubles.happened(TransportError(self._relapses.told(unheard, now)), now)

    def happened(self, error: TrimtabError, now: int) -> None:
        """Tell what is no state, as a record that cannot be read."""
        self._troubles.happened(error, now)

    def cannot_connect(self, error: TransportError, now: int) -> None:
        """The transport does not open.

        A guess is told when the next try knows no better, and takes back nothing that was known.
        """
        self._guesses = self._guesses + 1 if error.guessed else 0
        if self._guesses == 0 or (self._guesses > 1 and not self._troubles.has(Subject.CONNECTING)):
            self._troubles.stands(Subject.CONNECTING, error, now)

    def connected(self, now: int) -> None:
        """It has opened."""
        self._troubles.is_over(Subject.CONNECTING, now)

    def _meet(self, text: str, reason: str, now: int) -> None:
        self._relapses.failed(reason, now)
        self._troubles.stands(Subject.KAFKA, TransportError(text), now)

    def look(self, session: MemberSession, now: int) -> None:
        """Tell what is wrong by now, and what is over."""
        if self._inspection is not None:
            self._look_around(self._inspection, session, now)
        self._look_for_an_answer(session, now)
        self._look_at_callbacks(session.revocation_timeout_ms, now)
        self._look_at_the_session(session)

    def _look_at_the_session(self, session: MemberSession) -> None:
        """Say that the controller has granted another one than was asked for."""
        if session.phase != "joining" and session.session_timeout_ms != self._granted_ms:
            self._granted_ms = session.session_timeout_ms
            _LOGGER.info(
                "session_timeout is %g s, as the controller has it, and not the member's %g s: "
                "see policy.session_timeout_min and policy.session_timeout_max",
                self._granted_ms / 1_000,
                self._profile.session_timeout_ms / 1_000,
            )

    def _look_around(self, inspection: Inspection, session: MemberSession, now: int) -> None:
        self._held |= {grant.queue.topic for grant in session.working}
        for found in inspection.answers():
            match found:
                case Surroundings(subscribers, absent):
                    self._tell_subscribers(inspection, subscribers, now)
                    if absent is not None:
                        self._absent = {it: self._absent.get(it, now) for it in absent}
                case Controllers(last_tick):
                    self._evidence = _of_controllers(last_tick)
        self._tell_absent(inspection, now)
        if self._around_at is None or now >= self._around_at:
            self._around_at = now + AROUND_MS
            alone = self._profile.mode == "clustering"  # the others have no offsets in common
            inspection.look_around(self._profile.group, self._profile.topics, alone=alone)

    def _tell_subscribers(
        self, inspection: Inspection, found: tuple[Subscriber, ...] | None, now: int
    ) -> None:
        if found is None:
            return
        error = SharedGroupError(
            f'{len(found)} other programs have subscribed as group "{self._profile.group}" of '
            f"Kafka at {inspection.inspector.link.place}: {_listed(found)}. They get messages "
            "that members of trimtab get as well, and Kafka refuses the members' commits: stop "
            "them, or give the members a group of their own"
        )
        self._stands(Subject.GROUP, error if found else None, now)

    def _tell_absent(self, inspection: Inspection, now: int) -> None:
        absent = sorted(self._absent.keys() - self._held)
        if absent and now - max(self._absent[it] for it in absent) < ABSENT_MS:
            return
        error = NoTopicError(
            f"no topic {', '.join(absent)} on Kafka at {inspection.inspector.link.place}: the "
            "member waits, and works on it as soon as it exists: create it, or check `topics`"
        )
        self._stands(Subject.TOPICS, error if absent else None, now)

    def _look_for_an_answer(self, session: MemberSession, now: int) -> None:
        if session.phase != "joining":
            self._joins.clear()
            self._tries, self._asked_at, self._evidence = 0, None, None
            if session.phase == "joined":  # one that leaves may never have been answered
                self._troubles.is_over(Subject.CONTROLLER, now)
        elif self._asked_at is not None:
            waited = now - self._asked_at
            if waited >= UNANSWERED_MS - _EVIDENCE_MS and self._evidence is None:
                self._evidence = ""
                if self._inspection is not None:
                    self._inspection.look_for_controllers(self._profile.group)
            if waited >= UNANSWERED_MS and not self._troubles.has(Subject.CONTROLLER):
                self._stands(Subject.CONTROLLER, self._no_controller(), now)

    def _no_controller(self) -> NoControllerError:
        asked = self._inspection.inspector if self._inspection is not None else None
        where = "" if asked is None else f" of Kafka at {asked.link.place}"
        topic = MEMBERS.name if asked is None else asked.prefix + MEMBERS.name
        prefix = "this prefix" if asked is None else f'prefix "{asked.prefix}"'
        times = "once" if self._tries == 1 else f"{self._tries} times"
        return NoControllerError(
            f"no controller answers: the join of this member (asked {times}) has been in topic "
            f"{topic}{where} for {UNANSWERED_MS // 1_000} s. {self._evidence}Start a controller "
            f"with {prefix} on this Kafka, or look at its log, and run `trimtab health` where it "
            "runs. The member goes on asking"
        )

    def _look_at_callbacks(self, granted: int, now: int) -> None:
        running = self._callbacks.running()
        if running is None:
            self._troubles.is_over(Subject.CALLBACK, now)
            return
        is_release = running.name == "on_revoked"
        limit = granted // 2 if is_release else CALLBACK_MS
        if now - running.since < limit:
            self._troubles.is_over(Subject.CALLBACK, now)
        elif not self._troubles.has(Subject.CALLBACK):
            what = f"{running.name} has been running for {limit / 1_000:g} s{running.place()}"
            self._stands(Subject.CALLBACK, self._slow(what, granted if is_release else None), now)

    def _slow(self, what: str, granted: int | None) -> SlowCallbackError:
        if granted is None:
            return SlowCallbackError(
                f"{what}: no other callback runs meanwhile, so no queue can be handed over"
            )
        longer = f", or revocation_timeout ({granted / 1_000:g} s) longer"
        if granted < self._profile.revocation_timeout_ms:
            longer = f": the controller grants no more than {granted / 1_000:g} s"
        return SlowCallbackError(
            f"{what}: after {within(granted) / 1_000:g} s the member loses all its queues. Make "
            f"it faster{longer}"
        )

    def _stands(self, subject: Subject, error: TrimtabError | None, now: int) -> None:
        if error is None:
            self._troubles.is_over(subject, now)
        else:
            self._troubles.stands(subject, error, now)


def _of_controllers(found: LastTick | None) -> str:
    """Word what the log shows of a controller."""
    if found is None:
        return "Whether one ticks is not known (that needs the right to Read topic heartbeats). "
    if found.age_ms is None:
        return f"There is no tick of one in the last {found.records} records of heartbeats. "
    if found.age_ms < UNANSWERED_MS:
        return (
            f"A controller is running (last tick {found.age_ms / 1_000:.0f} s ago). It may still "
            "be starting. Otherwise look for this member in the topic deadletters. "
        )
    return f"The last tick of one is {found.age_ms / 1_000:.0f} s old. "


def _listed(found: tuple[Subscriber, ...]) -> str:
    """Name some, in an order that does not change."""
    names = [f"client {it.client} on {it.host.lstrip('/')}" for it in sorted(found)]
    return listed(names, _NAMED)
