"""Company: who else is in Kafka's group, and cannot move.

On Kafka's side such a consumer does no harm. But Kafka gives it queues that are on trimtab's side,
and it would work on them beside their owners there. So nothing moves to that side, or begins there,
before it has gone, however long ago that was wanted or committed. Used by `mover`, and by the
console.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import wait
from typing import Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from trimtab.clock import now_s
from trimtab.errors import SharedGroupError, TransportError
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_unpolled import unpolled

Report = Callable[[Exception], object]
_CLIENT_ID: Final = "trimtab-moving-"
"""How Kafka's group shows members that can move: by their client ids."""
_ASK_S: Final = 2.0
"""How long it waits for an answer."""
_NEVER_S: Final = 60.0
"""The question's own time never ends: librdkafka 2.16 may end the process when it does (its issue
4605). A client that is dropped takes its question back."""
_SURE_S: Final = 1.0
"""Between two questions: who moves looks twenty times a second."""


class Company:
    """The other members of one group."""

    def __init__(self, kafka: Mapping[str, Any], group: str) -> None:
        self._kafka, self._group = unpolled(kafka), group
        self._client: AdminClient | None = None
        self._ask_at = 0.0
        self._all_can: bool | None = None

    def all_can(self, report: Report, *, is_asked: bool) -> bool | None:
        """Say whether they can all move; None: it is not asked, or not known."""
        if not is_asked:
            self.close()
            return None
        if now_s() >= self._ask_at:
            self._all_can, self._ask_at = self._look(report), now_s() + _SURE_S
        return self._all_can

    def close(self) -> None:
        """Ask no more."""
        if self._client is not None:  # an idle client is falsy: its length is 0
            held: list[object] = [self._client]
            self._client = None
            discard(held)

    def _look(self, report: Report) -> bool | None:
        if self._client is None:
            self._client = AdminClient(self._kafka)
        asked = self._client.describe_consumer_groups([self._group], request_timeout=_NEVER_S)
        answer = asked[self._group]
        wait([answer], _ASK_S)
        if not answer.done():
            self.close()
            text = f"Kafka's group cannot be asked: it has not said in {_ASK_S:.0f} s who is in it"
            report(TransportError(text))
            return None
        try:
            members = answer.result().members
        except KafkaException as error:
            report(error)
            return None
        others = sorted(cannot_move((it.client_id, it.host) for it in members))
        if others:
            text = f"{self._group} stays on Kafka's side: {len(others)} of its members cannot move"
            report(SharedGroupError(f"{text}: {', '.join(others)}; stop them"))
        return not others


def client_id(member: str) -> str:
    """Name a member that can move, for Kafka's group."""
    return f"{_CLIENT_ID}{member}"


def can_move(clients: Iterable[str]) -> frozenset[str]:
    """Name the members that can, of these client ids."""
    ours = (it for it in clients if it.startswith(_CLIENT_ID))
    return frozenset(it.removeprefix(_CLIENT_ID) for it in ours)


def cannot_move(members: Iterable[tuple[str, str]]) -> list[str]:
    """Name those of these that cannot, by client id and host."""
    return [f"{client} at {host}" for client, host in members if not can_move([client])]
