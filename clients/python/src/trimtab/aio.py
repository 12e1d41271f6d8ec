"""A member of a group for programs with asyncio: the same session, callbacks on the event loop.

    async with Member("localhost:9092", group="billing", topics=["orders"],
                      on_assigned=begin, on_revoked=finish, on_lost=drop) as member:
        ...

Callbacks may be coroutines. They run one at a time on the loop that entered the member. Beats come
from a thread of their own, so a loop that is busy for a while does not lose the session.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from trimtab.callbacks import Positions
from trimtab.engine import State
from trimtab.errors import MemberFailedError
from trimtab.loop_calls import LoopCalls
from trimtab.member import LOOK_S
from trimtab.member import Member as ThreadedMember
from trimtab.options import Options
from trimtab.session import Grant, Profile

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in `typing` from Python 3.12 on

Finished = Positions | None


class Member:
    """One member of one group. Its options are those of `trimtab.Member`."""

    def __init__(
        self,
        bootstrap_servers: str | None = None,
        *,
        on_assigned: Callable[[tuple[Grant, ...]], object] | None = None,
        on_revoked: Callable[[tuple[Grant, ...]], Awaitable[Finished] | Finished] | None = None,
        on_lost: Callable[[tuple[Grant, ...]], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        **options: "Unpack[Options]",
    ) -> None:
        """As for `trimtab.Member`; each callback may be a coroutine function."""
        self._calls = calls = LoopCalls()
        self._member = ThreadedMember(
            bootstrap_servers,
            on_assigned=calls.on_loop("on_assigned", on_assigned),
            on_revoked=calls.on_loop("on_revoked", on_revoked),
            on_lost=calls.on_loop("on_lost", on_lost),
            on_error=calls.on_loop("on_error", on_error),
            **options,
        )

    @property
    def profile(self) -> Profile:
        """Who the member is and what it wants."""
        return self._member.profile

    @property
    def state(self) -> State:
        """connecting, joining, joined, draining, ended or failed."""
        return self._member.state

    @property
    def failure(self) -> MemberFailedError | None:
        """What ended the member, if it has ended by itself."""
        return self._member.failure

    @property
    def assignment(self) -> tuple[Grant, ...]:
        """The grants that are valid at this moment."""
        return self._member.assignment

    def holds(self, grant: Grant) -> bool:
        """Whether a grant is valid at this moment: ask before an effect that cannot be undone."""
        return self._member.holds(grant)

    async def wait_until(
        self,
        condition: Callable[["Member"], object],
        timeout: str | float = "30s",  # noqa: ASYNC109 - as of the threaded member
    ) -> None:
        """Wait until something is true of the member, as `trimtab.Member.wait_until`.

        The condition is asked on the loop, and by no thread: who is cancelled leaves none behind.
        """
        is_true = self._member.awaited(lambda: condition(self), timeout)
        while not is_true():  # noqa: ASYNC110 - changes are told to threads alone
            await asyncio.sleep(LOOK_S)

    def subscribe(self, topics: Sequence[str] = (), patterns: Sequence[str] = ()) -> None:
        """Want these topics from now on, as `trimtab.Member.subscribe`."""
        self._member.subscribe(topics, patterns)

    def leave(self, timeout: str | float = "30s", *, temporary: bool = False) -> None:
        """Begin to leave, as `trimtab.Member.leave`."""
        self._member.leave(timeout, temporary=temporary)

    async def stop(
        self,
        timeout: str | float = "30s",  # noqa: ASYNC109 - it bounds the hand-over, not the wait
        *,
        temporary: bool = False,
    ) -> bool:
        """Hand the queues over and leave, as `trimtab.Member.stop`; let other tasks read on."""
        self.leave(timeout, temporary=temporary)
        if asyncio.current_task() is self._calls.task:  # nothing more is told before it returns
            return False
        return await asyncio.to_thread(self._member.join, timeout)

    async def __aenter__(self) -> Self:
        self._calls.loop = asyncio.get_running_loop()
        self._member.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Hand over and leave, as `trimtab.Member` does.

        Raises:
            MemberFailedError: The member has failed, and no error tells of it yet.
        """
        await self.stop("30s" if error is None else "0s")
        if error is None and self.failure is not None:
            raise self.failure
