"""A reader: a member, the parts that read what it is granted, and how both begin and end.

`Consumer` and `AsyncConsumer` are its two faces: they differ in which thread takes messages and in
where callbacks run. Its one rule: whoever ends it has been told to stop first, so the loop does not
wait for what is taken away.
"""

import logging
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast
from weakref import WeakSet

from trimtab.callbacks import Callbacks, Ownership, Positions, mistaken
from trimtab.clock import now_s
from trimtab.consuming.assembly import Parts, assemble
from trimtab.consuming.choice import (
    Choice,
    ConsumerOptions,
    Tell,
    Told,
    demand_topics,
    read_options,
)
from trimtab.consuming.handover import Finished
from trimtab.consuming.health import Health
from trimtab.consuming.one_thread import FORKED
from trimtab.consuming.signals import Signals
from trimtab.consuming.taking import Taking
from trimtab.errors import ConfigurationError, MemberFailedError, SlowCallbackError, StuckError
from trimtab.member import Member, demand_instance
from trimtab.options import names
from trimtab.protocol import QueueRef
from trimtab.session import Grant

_LOGGER: Final = logging.getLogger("trimtab")
_LAST_OFFSET: Final = 2**63 - 1
"""A client raises what is its own of a greater one, when it reads nothing of the queue any more."""


@dataclass(frozen=True, slots=True)
class Hearers:
    """The application's callbacks; all are optional, and all of them are only told."""

    on_assigned: Tell | None = None
    on_revoked: Tell | None = None
    on_lost: Tell | None = None
    on_error: Callable[[Exception], object] | None = None


class Follower(Protocol):
    """Who begins and ends what the member is granted, as its callbacks."""

    def on_assigned(self, grants: tuple[Grant, ...]) -> object:
        """Begin."""

    def on_revoked(self, grants: tuple[Grant, ...], finished: Finished) -> Positions:
        """Finish, and say where heirs begin; of some before others."""

    def on_lost(self, grants: tuple[Grant, ...]) -> object:
        """Stop."""


class Reader:
    """One member of one group, and what it reads."""

    def __init__(
        self, bootstrap_servers: str | None, hearers: Hearers, options: ConsumerOptions
    ) -> None:
        choice, members = read_options(options)
        Callbacks(  # can they be called?
            hearers.on_assigned,
            cast("Any", hearers.on_revoked),
            hearers.on_lost,
            hearers.on_error,
        )
        self._on_error, self._error = hearers.on_error, cast("Exception | None", None)
        self._failed_at = 0.0
        self._stuck: StuckError | None = None
        self._started = self._temporary = self._ended = False
        self._process = os.getpid()
        self._max_poll_s = choice.times.max_poll_s
        self.member = Member(
            bootstrap_servers,
            on_assigned=lambda grants: self._follower.on_assigned(grants),  # noqa: PLW0108 - made below
            on_revoked=self._revoke,
            on_lost=lambda grants: self._follower.on_lost(grants),  # noqa: PLW0108 - made below
            on_error=self._hear,
            **members,
        )
        demand_topics(self.member.profile.topics)
        told = Told(
            hearers.on_assigned or _nobody,
            hearers.on_revoked or _nobody,
            hearers.on_lost or _nobody,
            self._report,
            self._be_stuck,
        )
        self.parts = self._assemble(bootstrap_servers, members.get("kafka", {}), choice, told)
        self._follower = self._follow()
        self.taking = Taking(self.parts.intake, self._ends)
        self.signals = Signals(self.stop, lambda: self.parts.intake.gone or self.failure)
        _MADE.add(self)

    @property
    def assignment(self) -> tuple[Grant, ...]:
        """What it owns at this moment."""
        return self.member.assignment

    @property
    def failure(self) -> MemberFailedError | None:
        """What ended it, if it has ended by itself."""
        return self._stuck or self.member.failure

    @property
    def health(self) -> Health:
        """How it is."""
        state, since = self.member.state, self.parts.upkeep.loop.since_poll
        return Health(
            ready=state == "joined" and since <= self._max_poll_s and self._stuck is None,
            state=state,
            queues=tuple(it.queue for it in self.assignment),
            since_poll=since,
            last_error=self._error,
            since_error=None if self._error is None else now_s() - self._failed_at,
        )

    def is_over(self) -> bool:
        """Whether the loop has to end; raise what ended it."""
        if (failure := self.failure) is not None:
            raise failure
        return self.parts.intake.over or self.member.state == "ended"

    def pause(self, queues: Iterable[QueueRef]) -> None:
        """Hand out nothing of those that it owns."""
        some = _refs("pause", queues)
        with self.parts.intake.turn:  # or one might go before it is paused, and come back so
            self.parts.set_paused(self._owned().intersection(some), paused=True)

    def resume(self, queues: Iterable[QueueRef]) -> None:
        """Go on with these."""
        self.parts.set_paused(_refs("resume", queues), paused=False)

    def subscribe(self, topics: Sequence[str], patterns: Sequence[str]) -> None:
        """Want these from now on."""
        demand_topics(names("topics", topics))
        self.member.subscribe(topics, patterns)
        self.parts.upkeep.want(self.member.profile.topics)

    def seek(self, queue: QueueRef, offset: int) -> None:
        """Read on at another offset; KeyError: it does not own the queue, nor is told of it."""
        if type(offset) is not int or not 0 <= offset <= _LAST_OFFSET:
            text = f"seek: {offset!r} is no offset, which is a number from 0 to {_LAST_OFFSET}"
            raise ConfigurationError(text)
        _refs("seek", [queue])
        with self.parts.intake.turn:  # as for `pause`
            if queue not in self._owned() and queue not in self.parts.handover.told_of:
                raise KeyError(queue)
            self.parts.seek(queue, offset)

    def stop(self, *, temporary: bool = False) -> None:
        """Hand out nothing more. It takes no lock: a signal handler may call it."""
        if temporary:
            demand_instance(self.member.profile)
            self._temporary = True
        self.parts.intake.stop()

    def start(self) -> None:
        """Begin.

        Raises:
            ConfigurationError: It was started before.
        """
        if self._started:
            raise ConfigurationError("start: a consumer cannot be started twice; make a new one")
        if os.getpid() != self._process:
            raise ConfigurationError(f"start: {FORKED}")
        self._started = True
        self._start()

    def leave(self) -> None:
        """Begin to leave: what is in hand goes to others. It waits for nobody."""
        self.parts.intake.give_up()
        self.member.leave("0s", temporary=self._temporary)

    def end(self) -> None:
        """Commit what is done, hand over, leave, and wait for the end.

        It is done once, and not in a fork, which has none of our threads: the other process works.
        """
        if not self._ended and os.getpid() == self._process:
            self._ended = True
            self.parts.intake.turn.heal()
            self.parts.intake.turn.limit()  # another thread may hang in the client
            self._end()

    def _revoke(self, grants: tuple[Grant, ...]) -> Positions:
        """Give these up; the heirs of what is finished first do not wait for the rest."""

        def finished(positions: Positions) -> None:
            self.member.finish({it: positions[it.queue] for it in grants if it.queue in positions})

        return self._follower.on_revoked(grants, finished)

    def _end(self) -> None:
        self.leave()
        self.member.join("0s")
        self.parts.close()

    def _start(self) -> None:
        self.parts.upkeep.start()
        try:
            self.member.start()
        except Exception:  # a guard that cannot be started: nobody will leave the block
            self.parts.close()
            raise

    def _assemble(
        self, servers: str | None, kafka: Mapping[str, Any], choice: Choice, told: Told
    ) -> Parts:
        return assemble(self.member.profile, self._is_owned, servers, kafka, choice, told)

    def _follow(self) -> Follower:
        """Who follows the grants of the member."""
        return self.parts.handover

    def _ends(self) -> bool:
        """Whether the loop ends; it could wait for ever for a member that nobody starts."""
        is_over = self.is_over()
        if not is_over and not self._started:
            raise ConfigurationError(
                "start: a consumer reads only in its block: with consumer: ..., or async with"
            )
        return is_over

    def _is_owned(self, grants: Collection[Grant]) -> Ownership:
        return self.member.owned(grants)

    def _owned(self) -> set[QueueRef]:
        return {it.queue for it in self.assignment}

    def _be_stuck(self, seconds: float) -> None:
        """Have others go on: the loop does not come back."""
        text = f"the loop has not come back for {seconds:.0f} s (max_poll_interval)"
        self._temporary = False
        self._stuck = StuckError(f"{text}: its queues go to others")
        self.leave()
        self._report(self._stuck)

    def _report(self, error: Exception) -> None:
        if isinstance(error, MemberFailedError) and error is not self._stuck:
            self.member.fail(error)  # which tells it
            return
        try:
            self._hear(error)
        except BaseException as mistake:  # noqa: BLE001 - no signal comes on the upkeep's thread
            self.member.fail(mistaken(mistake))

    def _hear(self, error: Exception) -> None:
        self._error, self._failed_at = error, now_s()
        if self._on_error is not None:
            self._on_error(error)
        elif not isinstance(error, SlowCallbackError):  # logged when there was need
            _LOGGER.warning("%s", error)


def _refs(call: str, queues: Iterable[object]) -> list[QueueRef]:
    """Refuse what would never be a queue that it owns."""
    refs = []
    for it in queues:
        if not isinstance(it, QueueRef):
            raise ConfigurationError(f"{call}: {it!r} is no QueueRef, as each grant's `queue` is")
        refs.append(it)
    return refs


def _nobody(_: tuple[Grant, ...]) -> None:
    """Hear of a change, and do nothing."""


_MADE: Final[WeakSet[Reader]] = WeakSet()
"""Those of this process, and after a fork those of the other one."""


def _forked() -> None:
    """Have those hand out nothing: the copies would, until they next look at the clock."""
    for reader in list(_MADE):
        reader.taking.forked()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forked)
