"""Company: who else is in Kafka's group, and cannot move.

On Kafka's side such a consumer does no harm. But Kafka gives it queues that are on trimtab's side,
and it would work on them beside their owners there. So nothing moves to that side, or begins there,
before it has gone, however long ago that was wanted or committed. Used by `mover`, and by the
console. Its one rule: nobody waits for an answer, so where it was heard that all can move, a queue
goes from hand to hand on trimtab's side whether Kafka answers at that moment or not.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from threading import Lock, Timer
from typing import Any, Final

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from trimtab.clock import now_s
from trimtab.errors import SharedGroupError, TransportError
from trimtab.moving.sides import Asking, Others
from trimtab.transports.confluent_discarding import discard
from trimtab.transports.confluent_succession import unasked
from trimtab.transports.confluent_unpolled import unpolled

Report = Callable[[Exception], object]
_CLIENT_ID: Final = "trimtab-moving-"
"""How Kafka's group shows members that can move: by their client ids."""
_SURE_S: Final = 1.0
"""Between two questions where something depends on it at this moment, or one cannot move."""
_FRESH_S: Final = 3 * _SURE_S
"""How long ago it may have been asked for something to move by the answer."""
_LATER_S: Final = 30.0
"""Between two questions otherwise: all members ask, and one coordinator answers."""
_KEPT_S: Final = 60.0
"""How long an answer is kept that does not count: the wanted side may not be known for a moment."""
_LATE_S: Final = 2.0
"""After so long without an answer that is said."""
_PATIENCE_S: Final = 10.0
"""How long queues of trimtab's side rest if nothing was ever heard: they have an owner there."""
_DROP_S: Final = 30.0
"""After so long another client asks. This one may have to connect first; it knows more brokers than
are in the settings, and a new one does not."""
_NEVER_S: Final = 60.0
"""The question's own time never ends: librdkafka 2.16 may end the process when it does (its issue
4605). A client that is dropped takes its question back, and who asks may look no more by then."""


class Company:
    """The other members of one group."""

    def __init__(self, kafka: Mapping[str, Any], group: str) -> None:
        self._kafka, self._group = unpolled(kafka), group
        self._client: AdminClient | None = None
        self._answer: Future[Any] | None = None
        """To the question that is on its way."""
        self._lock, self._limit = Lock(), Timer(0, self._drop)
        """Of these two; who asks, and the end of the question's time, may let go of them."""
        self._asked_s = self._known_s = 0.0
        self._is_changed = False
        self._since_s: float | None = None
        """When it was asked first."""
        self._can: bool | None = None
        """What was heard last."""

    def others(self, asking: Asking, report: Report, wake: Callable[[], object]) -> Others:
        """Say what is known of them, and ask again if it is time; an answer wakes who asks."""
        now = now_s()
        if asking == "never":
            if now - self._known_s > _KEPT_S:
                self.close()
            return "unknown"
        self._since_s = now if self._since_s is None else self._since_s
        self._hear(now, report)
        often = asking == "now" or not self._can
        is_old = now - self._asked_s >= (_SURE_S if often else _LATER_S)
        if self._answer is None and (is_old or self._is_changed):
            self._ask(now, wake)
        if self._can is None:
            return "could" if now - self._since_s >= _PATIENCE_S else "unknown"
        if not self._can:
            return "cannot"
        return "can" if now - self._known_s <= _FRESH_S else "could"

    def change(self) -> None:
        """Somebody has come or gone."""
        self._is_changed = True

    def close(self) -> None:
        """Ask no more, and forget what was heard."""
        self._drop()
        self._can = self._since_s = None

    def _drop(self, limit: Timer | None = None) -> None:
        """Let go of the client, or only if it is this question that it has on its way."""
        with self._lock:
            if limit not in (None, self._limit):
                return
            self._limit.cancel()
            self._answer, client, self._client = None, self._client, None
        if client is not None:  # an idle client is falsy: its length is 0
            held: list[object] = [client]
            del client
            discard(held)

    def _ask(self, now: float, wake: Callable[[], object]) -> None:
        self._asked_s, self._is_changed = now, False
        limit = Timer(_DROP_S, lambda: self._drop(limit))
        limit.daemon = True
        with self._lock:
            limit.start()
            self._answer, self._limit = self._question(), limit
            self._answer.add_done_callback(lambda _: limit.cancel())
            self._answer.add_done_callback(lambda _: wake())

    def _question(self) -> Future[Any]:
        try:
            if self._client is None:
                self._client = AdminClient(self._kafka)
            asked = self._client.describe_consumer_groups([self._group], request_timeout=_NEVER_S)
        except KafkaException as error:  # somebody may just be replacing its files
            return unasked(error)
        answer: Future[Any] = asked[self._group]
        return answer

    def _hear(self, now: float, report: Report) -> None:
        answer = self._answer
        if answer is None:
            return
        if not answer.done():
            if now - self._asked_s >= _LATE_S:
                text = f"it has not said in {_LATE_S:.0f} s who is in it"
                report(TransportError(f"Kafka's group cannot be asked: {text}"))
            return
        self._answer = None
        try:
            members = answer.result().members
        except KafkaException as error:
            self._drop()  # it may ask one that is the group's coordinator no more, for good
            report(error)
            return
        others = sorted(cannot_move((it.client_id, it.host) for it in members))
        self._can, self._known_s = not others, self._asked_s
        if others:
            text = "nothing begins on trimtab's side, and what rests there goes to Kafka's"
            count = f"{len(others)} of its members cannot move: {', '.join(others)}"
            remedy = "make each a MovingConsumer, or stop it"
            report(SharedGroupError(f"{self._group}: {text}: {count}; {remedy}"))


def client_id(member: str) -> str:
    """Name a member that can move, for Kafka's group."""
    return f"{_CLIENT_ID}{member}"


def can_move(clients: Iterable[str]) -> Counter[str]:
    """Name the members that can, of these client ids: so many of each name."""
    ours = (it for it in clients if it.startswith(_CLIENT_ID))
    return Counter(it.removeprefix(_CLIENT_ID) for it in ours)


def cannot_move(members: Iterable[tuple[str, str]]) -> list[str]:
    """Name those of these that cannot, by client id and host."""
    return [f"{client} at {host}" for client, host in members if not can_move([client])]
