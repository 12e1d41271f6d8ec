"""RocketMQ's name server: which queues its topics have, by `GET_ROUTEINFO_BY_TOPIC`.

A consumer works on the queues that a broker lets it read: `readQueueNums` of each. Brokers that go
are taken off their topics by the name server, after a while or at once. "No such topic" is an
answer; anything else leaves a topic out, so that what was seen last stays true.

A name server keeps nothing: one that was started anew says "no such topic" of all, until brokers
register with it (each does so every 30 s). So one that knows no broker is not believed.

Used by ``rocketmq_clusters``. Its one rule: it only reads.
"""

import json
import re
import socket
import time
from collections.abc import Iterable
from itertools import count
from typing import Any, Final

from pydantic import ValidationError

from streaming.feeds.announcements import Seen
from streaming.feeds.remoting import (
    SUCCESS,
    TOPIC_NOT_EXIST,
    Answer,
    Garbage,
    ask,
    receive,
    request,
)
from streaming.process.trouble import Trouble
from trimtab.protocol import Route, RunRef

GET_ROUTEINFO_BY_TOPIC: Final = 105
GET_BROKER_CLUSTER_INFO: Final = 106
_READABLE: Final = 0b100
"""`PermName.PERM_READ`."""
_TIMEOUT_S: Final = 3.0
"""RocketMQ's own clients wait as long for an answer, and so does the watcher, which does not listen
meanwhile, for all of them: the next time it goes on behind what has come by then."""
_RESTS: Final = 3
"""So many times as long as it waited in vain, or for a slow one, it asks nobody, and Kafka's routes
are read."""
_AT_ONCE: Final = 100
"""Requests that are under way at a time: their answers fit what a socket holds."""
_NAMED: Final = 3
"""Topics that a line of the log names."""
_BARE_KEY: Final = re.compile(rb"([{,])(\d+):")
"""A number as a key, as its older versions write ids of brokers: no JSON."""


class NameServers:
    """The name servers of one cluster, which all say the same: the first that answers is asked.

    Args:
        addresses: Host and port of each.
        trouble: Where it is said that none answers.
    """

    def __init__(self, addresses: Iterable[tuple[str, int]], trouble: Trouble) -> None:
        self._addresses = [*addresses]
        self._trouble = trouble
        self._connection: socket.socket | None = None
        self._numbers = count(1)
        self._asks_again_at = 0.0
        self._begins_behind = ""
        """The topic that was answered last when there was no time for all: each has its turn."""

    @property
    def place(self) -> str:
        """Which one is asked now."""
        host, port = self._addresses[0]
        return f"{host}:{port}"

    def look(self, topics: Iterable[str]) -> dict[str, Seen]:
        """Return what topics are like, as far as that is known."""
        behind, begun = self._begins_behind, time.monotonic()
        asked = sorted(topics, key=lambda it: (it <= behind, it))
        if not asked or begun < self._asks_again_at:
            return {}
        for _ in self._addresses:
            try:
                seen, refused, left = self._ask(asked)
                if left:
                    said = f"too slow: {left} of {len(asked)} topics are left for later"
                    refused.insert(0, f"{self.place}: {said}")
                    self._rest(begun)
                    self._hang_up()  # the answers to these may still come; the next may be quicker
            except (Garbage, OSError, UnicodeError) as error:  # the last: no host can be called so
                self._trouble.met(f"{self.place}: {error}")
                self._hang_up()
            else:
                if refused:
                    self._trouble.met("; ".join(refused[:_NAMED]))
                else:
                    self._trouble.over()
                return seen
        self._rest(begun)
        return {}

    def _rest(self, begun: float) -> None:
        ended = time.monotonic()
        self._asks_again_at = ended + _RESTS * (ended - begun)

    def close(self) -> None:
        """Ask no more."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, topics: list[str]) -> tuple[dict[str, Seen], list[str], int]:
        """Return what topics are like, why some are left out, and for how many there was no time.

        Raises:
            Garbage: What it says is no answer, or of nothing that was asked; or none can be read.
        """
        connection = self._connected()
        knows_brokers = self._knows_brokers(connection)
        seen: dict[str, Seen] = {}
        refused: list[str] = []
        left, last = len(topics), self._begins_behind
        until = time.monotonic() + _TIMEOUT_S
        for start in range(0, len(topics), _AT_ONCE):
            asked = {next(self._numbers): it for it in topics[start : start + _AT_ONCE]}
            connection.sendall(b"".join(map(_request, asked, asked.values())))
            while asked and time.monotonic() < until:
                answer = receive(connection)
                if (topic := asked.pop(answer.opaque, None)) is None:
                    raise Garbage("an answer to what was not asked")
                left, last = left - 1, topic
                try:
                    found = route(topic, answer)
                except Garbage as error:  # its frame was read whole, so the others can be read
                    refused.append(str(error))
                    continue
                if found is not None and (knows_brokers or found.runs is not None):
                    seen[topic] = found
            if asked:
                self._begins_behind = last
                break
        if refused and not seen:  # the next one may say what can be read
            raise Garbage("; ".join(refused[:_NAMED]))
        return seen, refused, left

    def _knows_brokers(self, connection: socket.socket) -> bool:
        """Tell whether it knows who has queues; asked first, because brokers come meanwhile.

        Raises:
            Garbage: It knows none, and the next one may; or nothing can be understood.
        """
        answer = ask(connection, GET_BROKER_CLUSTER_INFO, next(self._numbers), {})
        if answer.code != SUCCESS:
            return False
        if not brokers(answer):
            raise Garbage("it knows no broker yet")
        return True

    def _connected(self) -> socket.socket:
        if self._connection is None:
            self._connection = socket.create_connection(self._addresses[0], _TIMEOUT_S)
        return self._connection

    def _hang_up(self) -> None:
        """Have the next one asked from now on."""
        self.close()
        self._addresses.append(self._addresses.pop(0))


def route(topic: str, answer: Answer) -> Seen | None:
    """Read what a name server says of a topic; None: it cannot say.

    Raises:
        Garbage: It says nothing that could be understood, or what no record of ours can say: too
            many queues, or odd names.
    """
    if answer.code == TOPIC_NOT_EXIST:
        return Seen(None)
    if answer.code != SUCCESS:
        return None
    try:
        said = read_json(answer.body)
        if said.get("topicQueueMappingByBroker"):  # its clients know its queues by other names
            raise Garbage(f"{topic}: a static topic of RocketMQ 5, which trimtab does not know")
        runs = tuple(
            RunRef(str(it["brokerName"]), 0, int(it["readQueueNums"]))
            for it in sorted(said["queueDatas"], key=lambda it: str(it["brokerName"]))
            if it["perm"] & _READABLE and it["readQueueNums"]
        )
        # As the wire will check it: what no record could say must not come so far.
        return Seen(Route(topic=topic, version=0, exists=True, runs=runs).runs)
    except ValidationError as error:
        raise Garbage(f"{topic}: {error.errors()[0]['msg']}") from error
    except (
        AttributeError,
        ValueError,
        KeyError,
        TypeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise Garbage(f'a route of topic "{topic}" that cannot be read') from error


def brokers(answer: Answer) -> frozenset[str]:
    """Read which brokers a name server knows.

    Raises:
        Garbage: It says nothing that could be understood.
    """
    try:
        return frozenset(read_json(answer.body)["brokerAddrTable"] or {})
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Garbage("a list of brokers that cannot be read") from error


def read_json(body: bytes) -> Any:  # noqa: ANN401 - what came
    """Read JSON, also that of older versions.

    Raises:
        ValueError: It is none.
    """
    try:
        return json.loads(body)
    except ValueError:
        return json.loads(_BARE_KEY.sub(rb'\1"\2":', body))


def asked_of(topic: str) -> dict[str, str]:
    """Return the fields of a request for the route of a topic."""
    return {"topic": topic, "acceptStandardJsonOnly": "true"}


def _request(number: int, topic: str) -> bytes:
    return request(GET_ROUTEINFO_BY_TOPIC, number, asked_of(topic))
