"""A member of a group, for programs with threads: the front door of the SDK.

    with Member("localhost:9092", group="billing", topics=["orders"],
                on_assigned=start, on_revoked=stop, on_lost=drop) as member:
        ...

Making one starts nothing; entering it (or `start`) does, without waiting for Kafka. Leaving it (or
`stop`) hands its queues over first. The asyncio twin is `trimtab.aio.Member`.
"""

import secrets
import socket
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Final, Self

from pydantic import ValidationError

from trimtab.callbacks import Callbacks, Positions
from trimtab.durations import milliseconds
from trimtab.engine import CLOSE_MS, Engine, State
from trimtab.errors import ConfigurationError, MemberFailedError
from trimtab.protocol import DEFAULT_PREFIX, UndecodableRecord, read_group_key
from trimtab.protocol.limits import MIN_TIMEOUT_MS
from trimtab.session import Ending, Grant, Profile, incarnation
from trimtab.transports import Client, choose
from trimtab.transports.contract import Transport

_CLIENT: Final = "trimtab-python/0.1.0"
_SPOKEN: Final = {
    "member": "member_id",
    "session_timeout_ms": "session_timeout",
    "revocation_timeout_ms": "revocation_timeout",
}
"""What the fields of a join are called here."""


class Member:
    """One member of one group."""

    def __init__(  # noqa: PLR0913 - the front door: every wish has a name and a default
        self,
        bootstrap_servers: str | None = None,
        *,
        group: str,
        topics: Sequence[str],
        on_assigned: Callable[[tuple[Grant, ...]], object] | None = None,
        on_revoked: Callable[[tuple[Grant, ...]], Positions | None] | None = None,
        on_lost: Callable[[tuple[Grant, ...]], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        member_id: str | None = None,
        instance: str | None = None,
        rack: str | None = None,
        weight: int = 1,
        capacity: int | None = None,
        session_timeout: str | float = "10s",
        revocation_timeout: str | float = "60s",
        prefix: str = DEFAULT_PREFIX,
        client: Client | None = None,
        kafka: Mapping[str, Any] | None = None,
        transport: Transport | None = None,
    ) -> None:
        """Say who wants a share of which topics.

        Args:
            bootstrap_servers: Where Kafka is.
            group: The group to join.
            topics: The topics to get queues of.
            on_assigned: Called with the grants to start on. Only what is new.
            on_revoked: Called with the grants to stop. Finish, commit, and return the position
                reached in each queue; the heir begins there.
            on_lost: Called with grants that are no longer valid. Stop at once, commit nothing.
            on_error: Called with trouble that may pass, and with what ends the member.
            member_id: Unique in the group; by default the host's name and a random part.
            instance: A name that survives restarts, so that a restart moves nothing.
            rack: Where the member is, for strategies that mind.
            weight: Strength relative to other members.
            capacity: The most queues it can take.
            session_timeout: Silence after which the member is dead.
            revocation_timeout: Time that `on_revoked` may take.
            prefix: What the names of trimtab's topics begin with.
            client: The Kafka client to use, "confluent" or "kafka-python".
            kafka: Options for the Kafka client, passed through: security and the like.
            transport: A transport of your own instead of `bootstrap_servers`.
        """
        self.member_id = member_id or f"{socket.gethostname()}-{secrets.token_hex(4)}"
        self.profile = _checked(
            Profile(
                group=group,
                member=self.member_id,
                topics=tuple(topics),
                session_timeout_ms=milliseconds("session_timeout", session_timeout, MIN_TIMEOUT_MS),
                revocation_timeout_ms=milliseconds(
                    "revocation_timeout", revocation_timeout, MIN_TIMEOUT_MS
                ),
                instance=instance,
                rack=rack,
                weight=weight,
                capacity=capacity,
                client=_CLIENT,
            )
        )
        if transport is None:
            if bootstrap_servers is None:
                raise ConfigurationError("bootstrap_servers: say where Kafka is, as in host:9092")
            timeout_ms = self.profile.session_timeout_ms  # a beat is worth nothing after that
            transport = choose(client, bootstrap_servers, prefix, timeout_ms, kafka or {})
        callbacks = Callbacks(on_assigned, on_revoked, on_lost, on_error)
        self._engine = Engine(self.profile, transport, callbacks)

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

    def start(self) -> None:
        """Begin to join; returns at once."""
        self._engine.start()

    def wait_until(
        self, condition: Callable[["Member"], object], timeout: str | float = "30s"
    ) -> None:
        """Wait until something is true of the member; TimeoutError if that takes too long.

        A member that fails meanwhile raises its failure.
        """
        patience = milliseconds("timeout", timeout) / 1_000

        def met() -> bool:
            return bool(condition(self)) or self.failure is not None

        with self._engine.changed:
            in_time = self._engine.changed.wait_for(met, patience)
            if condition(self):
                return
            if self.failure is not None:
                raise self.failure
        assert not in_time
        raise TimeoutError(f'member "{self.member_id}" is {self.state} after {patience:g} s')

    def stop(self, timeout: str | float = "30s") -> bool:
        """Hand the queues over and leave; tell whether that went in good order.

        The member works on until heirs have taken over. If that takes longer than the timeout, it
        lets go of what it has (`on_revoked`), and leaves. Called again, it waits for the same end.
        Called by a callback, it does not wait.
        """
        timeout_ms = milliseconds("timeout", timeout)
        self._engine.stop(timeout_ms)
        grace_ms = self.profile.revocation_timeout_ms + CLOSE_MS
        ended = self._engine.join((timeout_ms + grace_ms) / 1_000)
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
        self.stop()


def _checked(profile: Profile) -> Profile:
    """Refuse what the controller would refuse, while somebody is there to read it."""
    try:
        read_group_key(profile.group.encode())
        profile.join(incarnation(0, 0), sequence=1)
    except UndecodableRecord as error:
        raise ConfigurationError(f"group: {error.detail}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(step) for step in first["loc"])
        raise ConfigurationError(f"{_SPOKEN.get(field, field)}: {first['msg']}") from None
    return profile
