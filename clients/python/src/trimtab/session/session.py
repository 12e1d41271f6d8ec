"""One member of a group: records, delivery reports and time in; records and callbacks out.

Sans I/O: no socket, no thread, no clock. A shell hands in what it received and what time it is (any
clock that only goes forward, in milliseconds) and carries out the actions it gets back, in order.
So the same object serves threads, asyncio and tests that explore every interleaving.

The life of a session: **joining** (ask until an assignment answers) -> **joined** (beat, obey,
release) -> **draining** (asked to leave: hand on what has an heir, work on the rest) -> **ended**.
A member that is forgotten, or fenced, loses everything and joins as a new incarnation.

Its one rule: before anything else is believed, time is taken into account. A process that was
suspended must find out that it is dead before it reads what happened meanwhile.
"""

from collections.abc import Mapping
from typing import Final, Literal

from trimtab.protocol import Assignment, Beat, Drain, Leave, LifeRef, Release
from trimtab.session.actions import Action, Ended, Ending, FindEnd, LossReason
from trimtab.session.asking import Asking
from trimtab.session.baton import Baton, Changes
from trimtab.session.beating import Beating
from trimtab.session.commons import Broadcast, Commons
from trimtab.session.fencing import Fence, within
from trimtab.session.grants import Grant
from trimtab.session.incarnation import next_incarnation
from trimtab.session.leaving import Leaving
from trimtab.session.mark import Mark
from trimtab.session.member_profile import Profile
from trimtab.session.outbox import Outbox, Outgoing, Signature
from trimtab.session.possession import Possession
from trimtab.session.recall import Recall
from trimtab.session.statement import Statement
from trimtab.session.telling import told

Phase = Literal["joining", "joined", "draining", "ended"]
_HANDS: Final = {"clustering": Baton, "broadcasting": Broadcast, "shared": Commons}


class MemberSession(Possession):
    """The state of one member. Every method that takes `now` returns the actions due."""

    def __init__(self, profile: Profile, incarnation: str, now: int) -> None:
        self.profile = profile
        self.phase: Phase = "joining"
        self._recall = Recall()
        self._actions: list[Action] = []
        self._asking, self._leaving = Asking(due_at=now), Leaving()
        self._last_epoch: int | None = None  # of earlier lives
        self._begin(incarnation, first_ticket=1, now=now)

    def _begin(self, incarnation: str, first_ticket: int, now: int) -> None:
        """A new life: nothing of the old one counts."""
        self.incarnation, self.epoch = incarnation, 0
        self._life = LifeRef(self.profile.member, incarnation)
        hand = _HANDS[self.profile.mode]
        self._baton = hand(self._life, self._recall, self.profile.subscribes)
        self._outbox = Outbox(self.profile.group, first_ticket)
        self._statement, self._mark = Statement(), Mark(self._life, needed=hand is Baton)
        self._fence = Fence(self.profile.session_timeout_ms, heard_at=now, read_at=now)
        self._revocation_timeout_ms = self.profile.revocation_timeout_ms
        self._beating = Beating.begun(self.profile.heartbeat_interval_ms, now)

    @property
    def session_timeout_ms(self) -> int:
        """The one that the controller has granted; until it has, the one that was asked for."""
        return self._fence.session_timeout_ms

    @property
    def wake_at(self) -> int:
        """When `tick` must be called at the latest."""
        times = [self._baton.deadline, self._leaving.deadline, self._asking.due_at]
        times.append(self._beating.due_at if self._leaving.ticket is None else None)
        times.append(self._fence.deadline)
        return min(time for time in times if time is not None)

    def tick(self, now: int) -> list[Action]:
        """Time has passed."""
        self._pass_time(now)
        return self._settle(now)

    def is_news(self, record: Assignment) -> bool:
        """Whether a record is for this life, and later than what it was told last."""
        return record.incarnation == self.incarnation and record.epoch > self.epoch

    def receive(self, record: Assignment | None, now: int) -> list[Action]:
        """An assignment for this member was read; None is a tombstone."""
        self._pass_time(now)
        if self.phase == "ended":
            return self._settle(now)
        if record is None:
            if self.epoch > 0:  # before that, it is about an earlier life
                self._start_over(LossReason.UNKNOWN, now)
        elif record.incarnation > self.incarnation:
            self._apply(self._baton.lose_all(), LossReason.REPLACED)
            self._end(Ending.REPLACED)
        elif not (self._leaving.temporary or self._leaving.ticket) and self.is_news(record):
            self._obey(record, now)  # one that leaves has said that it works on nothing any more
        return self._settle(now)

    def hear(self, release: Release, now: int) -> list[Action]:
        """A release was read, of any member."""
        self._pass_time(now)
        self._mark.heard(release)
        if self.phase != "ended" and self._leaving.ticket is None:  # who has gone begins nothing
            self._apply(self._baton.hear(release), LossReason.RELEASED)
        if self.phase == "draining":
            self._part(now)  # there may be somebody to name now
        return self._settle(now)

    def finish(self, positions: Mapping[Grant, int | None], now: int) -> list[Action]:
        """The application has stopped working under revoked grants, at these positions."""
        self._pass_time(now)
        self._apply(self._baton.finish(positions))
        return self._settle(now)

    def acknowledged(self, ticket: int, now: int) -> list[Action]:
        """Kafka has a record."""
        self._fence.acknowledged(ticket)  # first: it may be the very proof of life that was due
        self._statement.acknowledged(ticket)
        self._outbox.acknowledged(ticket)
        self._asking.acknowledged(ticket)
        self._pass_time(now)
        if ticket == self._leaving.ticket:
            self._end(Ending.LEFT)
        return self._settle(now)

    def failed(self, ticket: int, now: int) -> list[Action]:
        """A record did not reach Kafka."""
        self._fence.failed(ticket)
        self._outbox.failed(ticket)
        self._asking.failed(ticket, now)
        self._beating.failed(self.profile.heartbeat_interval_ms)
        self._pass_time(now)
        if ticket == self._leaving.ticket:
            self._end(Ending.ABANDONED)
        return self._settle(now)

    def caught_up(self, at: int, now: int) -> list[Action]:
        """Everything that was in the log at some time has been received."""
        self._fence.read_at = max(self._fence.read_at, at)
        return self.tick(now)

    def want(self, profile: Profile, now: int) -> list[Action]:
        """Ask for something else from now on, as the same life."""
        self._pass_time(now)
        self.profile, self._baton.subscribes = profile, profile.subscribes
        if self.phase in ("joining", "joined"):
            self._asking.change(now)
        return self._settle(now)

    def stop(self, now: int, timeout_ms: int, *, temporary: bool = False) -> list[Action]:
        """Leave: hand on what has an heir; work on the rest until it has one, or the time is up.

        Temporarily: stop all work at once and release to nobody, so that the queues are kept.
        """
        self._pass_time(now)
        if self.phase in ("joining", "joined"):
            self.phase = "draining"
            self._asking.end()
            self._leaving.begin(now + timeout_ms, temporary=temporary)
            if temporary:
                self._hurry(now)
            elif not self._baton.idle:
                self._post(Drain(**self._signature()))
                self._part(now)
        else:
            self._leaving.begin_again(now + timeout_ms)
        return self._settle(now)

    def abort(self, now: int) -> list[Action]:
        """End at once, saying nothing: whether the application has stopped is not known."""
        if self.phase != "ended":
            self._abandon(LossReason.FAILED)
        return self._settle(now)

    def _obey(self, record: Assignment, now: int) -> None:
        self.epoch = record.epoch
        if self.phase == "joining":
            self.phase = "joined"
        self._fence.session_timeout_ms = record.session_timeout_ms
        self._revocation_timeout_ms = record.revocation_timeout_ms
        self._beating.keep_to(record.heartbeat_interval_ms)
        self._apply(self._baton.obey(record, now + within(record.revocation_timeout_ms)))
        if self._baton.working:
            self._statement.outdated()  # a full beat shows whom it would name from now on, if any
        if self.phase == "draining":
            self._part(now)
        if not record.join_again:
            self._asking.answered()
        elif self.phase == "joined":
            self._asking.begin(now)

    def _pass_time(self, now: int) -> None:
        """What silence alone decides."""
        if self.phase == "ended":
            return
        if now >= self._fence.deadline:
            self._actions.append(self._fence.verdict(now))
            self._start_over(LossReason.UNHEARD, now)
        elif self._baton.deadline is not None and now >= self._baton.deadline:
            # The controller is about to fence us for it, and with this queue all others.
            self._start_over(LossReason.OVERDUE, now)
        elif self._leaving.deadline is not None and now >= self._leaving.deadline:
            self._hurry(now)

    def _hurry(self, now: int) -> None:
        """No heir came in time: stop anyway; if that takes too long as well, just go."""
        if self._leaving.hurried:
            self._abandon(LossReason.OVERDUE)
            return
        self._leaving.hurry(self._baton, now, within(self._revocation_timeout_ms))
        self._part(now)

    def _part(self, now: int) -> None:
        patience = within(self._revocation_timeout_ms)
        self._apply(self._leaving.let_go(self._baton, now, patience))

    def _start_over(self, reason: LossReason, now: int) -> None:
        if self.phase == "draining":
            self._abandon(reason)
            return
        self._apply(self._baton.lose_all(), reason)
        self.phase = "joining"
        self._asking.renew(now)
        self._last_epoch = self.epoch or self._last_epoch or 0
        self._begin(next_incarnation(self.incarnation), self._outbox.next_ticket, now)

    def _abandon(self, reason: LossReason) -> None:
        """Just go; what was held may be worked on until the process dies."""
        self._left_behind = self._baton.holdings
        self._apply(self._baton.lose_all(), reason)
        self._end(Ending.ABANDONED)

    def _end(self, ending: Ending) -> None:
        self.phase = "ended"
        self._asking.end()
        self._actions.append(Ended(ending))

    def _apply(self, changes: Changes, reason: LossReason = LossReason.TAKEN) -> None:
        self._actions += told(changes, reason)
        if rows := changes.released:
            self._statement.outdated()
            gone = self._mark.last_word() if self.phase == "draining" else None
            self._actions += self._outbox.release(self._life, rows, gone)

    def _settle(self, now: int) -> list[Action]:
        """Send what is due, and hand over all actions."""
        if self._asking.due_at is not None and now >= self._asking.due_at:
            self._join(now)
        if self.phase != "ended":
            self._leave_or_beat(now)
        actions, self._actions = self._actions, []
        return actions

    def _leave_or_beat(self, now: int) -> None:
        if self.phase == "draining" and self._baton.idle and self._outbox.confirmed:
            if self._leaving.ticket is None:
                self._baton.lose_all()  # what it waits for
                self._show_mark(last=self._mark.goes_unsaid)
                self._leaving.ticket = self._outbox.next_ticket
                self._post(Leave(**self._signature(), temporary=self._leaving.temporary))
            return
        if self._statement.differs(self._baton.owned) and self.epoch > 0:
            self._beating.hasten()
        if now >= self._beating.due_at:
            self._beat(now)

    def _join(self, now: int) -> None:
        ticket, sequence = self._outbox.next_ticket, self._outbox.next_sequence
        self._fence.sent(ticket, now)
        self._asking.asked(ticket, now)
        self._post(self.profile.join(self.incarnation, sequence, self._last_epoch))
        self._mark.again()
        self._show_mark()

    def _show_mark(self, *, last: bool = False) -> None:
        if last or self._mark.due:
            self._mark.sent(self._outbox.next_sequence, answered=self.epoch > 0)
            gone = self._mark.last_word() if last else None
            self._post(Release(**self._signature(), queues=(), gone=gone))

    def _beat(self, now: int) -> None:
        self._actions += self._outbox.post_again()
        self._show_mark()
        owned = self._statement.due(self._baton.owned)
        ticket = self._outbox.next_ticket
        self._fence.sent(ticket, now)
        if owned is not None:
            self._statement.sent(ticket, owned)
        self._post(Beat(**self._signature(), epoch=self.epoch, owned=owned))
        self._actions.append(FindEnd())
        self._beating.sent(now)

    def _signature(self) -> Signature:
        return self._outbox.signature(self._life)

    def _post(self, record: Outgoing) -> None:
        self._actions.append(self._outbox.post(record))
