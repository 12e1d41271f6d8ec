"""The reader of a consumer on both sides: its own parts, with the mover between them and owners.

Used by `MovingConsumer`.
"""

import threading
from collections.abc import Collection, Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from trimtab.callbacks import Ownership
from trimtab.consuming.choice import Choice, ConsumerOptions, Tell, Told
from trimtab.consuming.commits import PATIENCE_S
from trimtab.consuming.contract import Wish
from trimtab.consuming.health import Health
from trimtab.errors import ConfigurationError
from trimtab.protocol import DEFAULT_PREFIX
from trimtab.reader import Follower, Hearers, Reader
from trimtab.session import Grant
from trimtab.transports import installed

if TYPE_CHECKING:
    from trimtab.consuming.assembly import Parts
    from trimtab.moving.mover import Mover


_FAREWELL_S: Final = 10.0
"""For a last commit, and for Kafka's group to be left."""


class MovingReader(Reader):
    """A member on both sides, and what it reads."""

    def __init__(
        self, bootstrap_servers: str | None, hearers: Hearers, options: ConsumerOptions
    ) -> None:
        if installed(options.get("client", "confluent")) != "confluent":
            raise ConfigurationError('client: a MovingConsumer needs "confluent"')
        self._prefix = options.get("prefix", DEFAULT_PREFIX)
        super().__init__(bootstrap_servers, hearers, options)

    @property
    def assignment(self) -> tuple[Grant, ...]:
        """What it works on, on whichever side."""
        return self._mover.working

    @property
    def health(self) -> Health:
        """How it is: ready with its place on either side."""
        health = super().health
        is_working = bool(self._mover.working) and self.failure is None
        in_time = health.since_poll <= self._max_poll_s
        return replace(health, ready=health.ready or (is_working and in_time))

    def leave(self) -> None:
        """Begin to leave both sides."""
        super().leave()
        self._mover.leave()

    def _end(self) -> None:
        self.leave()
        self.member.join("0s")
        self._mover.end(self.member.profile.revocation_timeout_ms / 1_000 + _FAREWELL_S)
        self.parts.close()

    def _assemble(
        self, servers: str | None, kafka: Mapping[str, Any], choice: Choice, told: Told
    ) -> "Parts":
        if (mode := self.member.profile.mode) != "clustering":
            raise ConfigurationError(f"mode: {mode}: on Kafka's side each queue has one owner")
        if choice.fencing:
            raise ConfigurationError(
                "fencing: while a group moves, Kafka's group fences its commits"
            )
        told = one_at_a_time(told)
        parts = super()._assemble(servers, kafka, choice, told)
        wish = Wish(servers, self.member.profile.group, kafka, choice.fetch, PATIENCE_S)
        assembly = import_module("trimtab.moving.assembly")
        self._mover: Mover = assembly.mover(
            self.member, parts, wish, self._prefix, told.error, choice.times.max_poll_s
        )
        return parts

    def _start(self) -> None:
        super()._start()
        self._mover.start()  # if that one fails, nothing holds queues of Kafka's group

    def _follow(self) -> Follower:
        return self._mover

    def _is_owned(self, grants: Collection[Grant]) -> Ownership:
        return self._mover.owned(grants)


def one_at_a_time(told: Told) -> Told:
    """Have the application hear of one change after the other: they come from several threads."""
    turn = threading.Lock()

    def in_turn(tell: Tell) -> Tell:
        def call(grants: tuple[Grant, ...]) -> None:
            with turn:
                tell(grants)

        return call

    assigned, revoked, lost = map(in_turn, (told.assigned, told.revoked, told.lost))
    return replace(told, assigned=assigned, revoked=revoked, lost=lost)
