"""A member of a group, for programs with threads: the main class of the SDK.

    with Member("localhost:9092", group="billing", topics=["orders"],
                on_assigned=begin, on_revoked=finish, on_lost=drop) as member:
        ...

Making one starts nothing; entering it (or `start`) does, without waiting for Kafka. Leaving it (or
`stop`) hands its queues over first. The asyncio twin is `trimtab.aio.Member`.
"""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self
from weakref import WeakSet

from trimtab.callbacks import Callbacks, Ownership, Positions
from trimtab.clock import now_s
from trimtab.durations import milliseconds
from trimtab.engine import CLOSE_MS, Engine, State
from trimtab.errors import ConfigurationError, MemberFailedError
from trimtab.options import (
    Options,
    make_guard,
    make_inspection,
    make_transport,
    read_profile,
    subscribed,
)
from trimtab.session import Ending, Grant, Profile

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.12 on

LOOK_S: Final = 0.05
"""Between two looks of who waits for something: how late it is noticed if nobody tells."""


class Member:
    """One member of one group, made with `bootstrap_servers`, callbacks and these options.

    Args:
        group: The group to join; needed.
        topics: The topics to get queues of, a list of names.
        patterns: More topics, by pattern: `*` and `?`. One of both is needed.
        member_id: Unique in the group. Default: the host's name and a random part.
        instance: A name that survives restarts. With `stop(temporary=True)` a restart then moves
            nothing.
        rack: Where the member is.
        weight: Strength relative to others, 1 to 1,000. Default: 1.
        capacity: The most queues that it can take. Default: any number.
        mode: "clustering" (default), "broadcasting" or "shared".
        session_timeout: Silence after which the member is dead: "10s", or seconds. Default: 10 s.
        revocation_timeout: Time that `on_revoked` may take. Default: 60 s.
        prefix: What the names of trimtab's topics begin with. Default: "trimtab.".
        guard: Whether another process gives the queues on if this one is killed. Default: only
            under `trimtab-guard`.
        client: "confluent" or "kafka-python". Default: the first that is installed.
        kafka: Options for that client, a dict: security and the like.
        transport: A transport of your own, instead of a Kafka client.
    """

    def __init__(
        self,
        bootstrap_servers: str | None = None,
        *,
        on_assigned: Callable[[tuple[Grant, ...]], object] | None = None,
        on_revoked: Callable[[tuple[Grant, ...]], Positions | None] | None = None,
        on_lost: Callable[[tuple[Grant, ...]], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        **options: "Unpack[Options]",
    ) -> None:
        """Say who wants a share of which topics.

        Args:
            bootstrap_servers: Where Kafka is.
            on_assigned: Called with the grants to start on. Only what is new.
            on_revoked: Called with the grants to stop. Finish, commit, and return the position
                reached in each queue; the heir begins there.
            on_lost: Called with grants that are no longer valid. Stop at once, commit nothing.
            on_error: Called with trouble that may pass, and with what ends the member.
            **options: `group` and `topics` or `patterns`, and what else is listed above.
        """
        self.profile = read_profile(options)
        # A beat that takes longer than the session to arrive is worth nothing.
        transport = make_transport(bootstrap_servers, options, self.profile.session_timeout_ms)
        callbacks = Callbacks(on_assigned, on_revoked, on_lost, on_error)
        guard = make_guard(bootstrap_servers, options, self.profile)
        inspection = make_inspection(bootstrap_servers, options)
        self._engine = Engine(self.profile, transport, callbacks, guard, inspection)
        self._process, self._transport = os.getpid(), transport
        _MADE.add(self)

    @property
    def member_id(self) -> str:
        """The member's name in its group."""
        return self.profile.member

    @property
    def state(self) -> State:
        """connecting, joining, joined, draining, ended or failed."""
        return self._engine.state

    @property
    def failure(self) -> MemberFailedError | None:
        """What ended the member, if it has ended by itself."""
        return self._engine.failure

    @property
    def assignment(self) -> tuple[Grant, ...]:
        """The grants that are valid at this moment."""
        return self._engine.working()

    def holds(self, grant: Grant) -> bool:
        """Whether a grant is valid at this moment: ask before an effect that cannot be undone."""
        return any(grant.token == it.token for it in self.assignment if it.queue == grant.queue)

    def owned(self, grants: Collection[Grant]) -> Ownership:
        """Which of these grants are valid at this moment, or not released yet, and for how long.

        For what reads queues by itself: until `Ownership.until` nothing of this ends by time alone.
        """
        return self._engine.owned(grants)

    def finish(self, positions: Mapping[Grant, int | None]) -> None:
        """Release some of what `on_revoked` was told, at these positions, while it still runs.

        For what has to wait with the rest: nothing of these may be worked on any more.
        """
        self._engine.finish(positions)

    def fail(self, failure: MemberFailedError) -> None:
        """End at once, and lose all queues: for what runs the application's callbacks by itself."""
        self._engine.fail(failure)

    def start(self) -> None:
        """Begin to join; returns at once.

        Raises:
            ConfigurationError: It was started before, or made before this process was forked.
        """
        if os.getpid() != self._process:
            raise ConfigurationError(
                "start: the member was made before this process was forked, and its name and its "
                "client are the other one's: make it after the fork"
            )
        self._engine.start()

    def wait_until(
        self, condition: Callable[["Member"], object], timeout: str | float = "30s"
    ) -> None:
        """Wait until something is true of the member.

        Raises:
            TimeoutError: It did not come true in time, or before the member ended.
            MemberFailedError: The member has failed meanwhile.
        """
        is_true = self.awaited(lambda: condition(self), timeout)
        while not is_true():
            with self._engine.changed:
                self._engine.changed.wait(LOOK_S)

    def awaited(self, condition: Callable[[], object], timeout: str | float) -> Callable[[], bool]:
        """What to ask again and again until a condition is true; it raises if that is over."""
        began, patience = now_s(), milliseconds("timeout", timeout) / 1_000

        def is_true() -> bool:
            # Before the condition is asked, for the last time perhaps.
            waited, state, failure = now_s() - began, self.state, self.failure
            if condition():
                return True
            if failure is not None:
                raise failure
            if state == "ended" or waited >= patience:
                after = round(min(waited, patience), 2)
                raise TimeoutError(f'member "{self.member_id}" is {state} after {after:g} s')
            return False

        return is_true

    def subscribe(self, topics: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Want these topics from now on, instead of those that it was made with.

        Returns at once; `on_revoked` and `on_assigned` follow. What both have stays where it is.

        Raises:
            ConfigurationError: A name that no controller would take, or none at all.
        """
        self.profile = subscribed(self.profile, topics, patterns)
        self._engine.want(self.profile)

    def leave(self, timeout: str | float = "30s", *, temporary: bool = False) -> None:
        """Begin to leave, and return at once. Work on until `state` is ended.

        It takes no lock, so a signal handler may call it; no other method is for that.

        Queues that have an heir go to it at once (`on_revoked`), whether the controller is there or
        not. The rest is worked on until each has one. If that takes longer than the timeout, the
        member lets go of what it still has, and leaves.

        A static member may leave temporarily: it lets go of everything at once and no member takes
        over, for a session at the most. A member that comes with its `instance` in that time
        gets the same queues back, and nothing has moved.

        Raises:
            ConfigurationError: It has no instance to come back under.
        """
        if temporary:
            demand_instance(self.profile)
        self._engine.stop(milliseconds("timeout", timeout), temporary=temporary)

    def stop(self, timeout: str | float = "30s", *, temporary: bool = False) -> bool:
        """Leave, and wait for the end; tell whether it came in good order.

        Called again, it waits for the same end; called by a callback, it does not wait.
        """
        self.leave(timeout, temporary=temporary)
        return self.join(timeout)

    def join(self, timeout: str | float = "30s") -> bool:
        """Wait for the end of a member that leaves; tell whether it came in good order."""
        grace_ms = self.profile.revocation_timeout_ms + CLOSE_MS
        ended = self._engine.join((milliseconds("timeout", timeout) + grace_ms) / 1_000)
        return ended and self._engine.ending in (None, Ending.LEFT)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hand over and leave; at once, if it was an error that ended the block.

        Raises:
            MemberFailedError: The member has failed, and no error tells of it yet.
        """
        self.stop("30s" if error is None else "0s")
        if error is None and self.failure is not None:
            raise self.failure


_MADE: Final[WeakSet[Member]] = WeakSet()
"""Those of this process, and after a fork those of the other one."""
_LEFT: Final[list[Engine]] = []
"""What ran those: kept, because what would end their clients would wait for the other's threads."""


def _forked() -> None:
    """Have those hold nothing, as ones that have ended: no thread of theirs is here.

    A copy would know what it held when it was forked, and its guard take that for the other's word.
    """
    for member in list(_MADE):
        _LEFT.append(member._engine)  # noqa: SLF001 - of this module
        ended = Engine(member.profile, member._transport, Callbacks(), None)  # noqa: SLF001 - as above
        ended.stop(0)
        member._engine = ended  # noqa: SLF001 - as above


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forked)


def demand_instance(profile: Profile) -> None:
    """Refuse to leave temporarily without an instance, under which the member could come back."""
    if profile.instance is None:
        raise ConfigurationError("temporary: only a member with an instance can come back")
